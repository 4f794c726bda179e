//! Tests of the database, one program: a module per topic.

mod captures;
mod importing;
mod keeping;
mod moving;
mod opening;
mod processes;
mod support;
mod using;
