//! Tests of performing, one program: a module per topic.

mod passing;
mod perform_no_alloc;
mod perform_sequences;
mod udp;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
