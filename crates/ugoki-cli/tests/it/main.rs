//! Tests of the binary as a process, one program: a module per topic.

mod captures;
mod compose;
mod db;
mod errors;
mod face;
mod live;
mod motions;
mod outputs;
mod perform;
mod react;
mod segments;
mod signal;
mod support;
mod verbs;
mod walk;
