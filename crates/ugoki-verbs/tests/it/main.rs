//! Tests of the verbs, one program: a module per topic.

mod budgets;
mod edit_splice_captures;
mod files;
#[path = "../../../ugoki-motion/tests/it/join_support/mod.rs"]
mod join_support;
mod options;
mod python;
mod react;
mod requests;
mod typescript;
