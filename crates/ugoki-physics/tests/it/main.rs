//! Tests of dynamics and reactions, one program: a module per topic.

mod dynamics_captures;
mod dynamics_no_alloc;
mod react_captures;
mod react_checker;
mod react_no_alloc;
mod react_properties;
mod react_steps;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
