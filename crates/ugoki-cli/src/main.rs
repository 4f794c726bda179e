//! The binary `ugoki`.
fn main() {}
