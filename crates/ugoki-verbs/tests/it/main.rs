//! Tests of the verbs, one program: a module per topic.

mod budgets;
mod convert_retarget;
mod edit_splice_captures;
mod files;
#[path = "../../../ugoki-motion/tests/it/join_support/mod.rs"]
mod join_support;
mod options;
mod python;
mod react;
mod requests;
#[path = "../../../ugoki-motion/tests/it/retarget_support/mod.rs"]
mod retarget_support;
mod typescript;
