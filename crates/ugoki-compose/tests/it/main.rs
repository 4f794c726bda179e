//! Tests of networks and composing, one program: a module per topic.

mod codec_hostile;
mod compose_advice;
mod compose_feet;
mod compose_ground;
mod compose_refine;
mod compose_render;
mod compose_stepping;
mod compose_support;
mod network_catalogue;
mod network_ground;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
