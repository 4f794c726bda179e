//! Tests of the facade and of the order of the crates.

mod convert;
mod layers;
#[path = "../../../ugoki-motion/tests/it/retarget_support/mod.rs"]
mod retarget_support;
mod rust_paths;
mod words;
