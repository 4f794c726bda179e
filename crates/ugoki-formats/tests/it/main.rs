//! Tests of readers and writers, one program: a module per topic.

mod acclaim_captures;
mod acclaim_corpus;
mod acclaim_hostile;
mod acclaim_memory;
mod bvh_captures;
mod bvh_hostile;
mod bvh_memory;
mod bvh_roundtrip;
mod bvh_up;
mod c3d_properties;
mod deepmimic_captures;
mod deepmimic_hostile;
mod fbx_captures;
mod fbx_properties;
mod fbx_support;
mod fuzz_corpus;
mod gltf_captures;
mod gltf_features;
mod gltf_hostile;
mod gltf_roundtrip;
mod marker_support;
mod markers_captures;
mod markers_sample;
mod npz_read;
mod npz_roundtrip;
mod reference_frames;
mod table_support;
mod trc_properties;

/// Counts per thread, so that tests that run at the same time do not disturb each other.
#[global_allocator]
static COUNTING: ugoki_testing::Counting = ugoki_testing::Counting;
