//! Tests of the facade and of the order of the crates.

mod layers;
mod rust_paths;
mod words;
