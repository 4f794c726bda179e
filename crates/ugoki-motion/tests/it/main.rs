//! Tests of blending, retargeting, reconstruction and editing, one program: a module per topic.

mod contact_searches;
mod edit_basis;
mod edit_feet;
mod edit_handles;
mod edit_loop;
mod edit_loop_captures;
mod edit_no_alloc;
mod edit_player;
mod edit_player_limits;
mod edit_splice;
mod edit_walk;
mod edit_walk_captures;
mod issue_0003_blend_panics_on_rounded_ends;
mod join_support;
mod mutations;
mod reconstruct_properties;
mod retarget_captures;
mod retarget_laws;
mod retarget_no_alloc;
mod retarget_steps;
mod retarget_support;
mod retarget_tpose;
mod retarget_twins;
mod rigs;
mod signal_blend;
mod signal_blend_captures;
mod signal_captures;
mod signal_no_alloc;
mod signal_pairs;
mod signal_people;
mod signal_sample;
mod signal_sets;
mod signal_travel;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
