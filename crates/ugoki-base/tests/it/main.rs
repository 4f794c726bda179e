//! Tests of the base crate, one program: a module per topic.

mod codec_captures;
mod no_alloc;
mod roles_by_name;
mod roles_by_shape;
mod roles_on_captures;
mod signal_archive;
mod signal_bands;
mod signal_despike;
mod signal_path;
mod signal_properties;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
