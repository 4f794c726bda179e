//! The file as `ufbx` gives it, within bounds of memory.

use crate::ReadError;

/// Memory that any file may take, bytes, and how much more per byte of the file. Rigs of 200 KB take 1 MB; arrays
/// may be compressed a thousandfold, which only hostile files do.
const ANY_MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 32;

/// Depth of nodes; no rig is a tenth of it.
const MAX_DEPTH: u32 = 4096;

/// The scene in metres, +Y up: axes and unit are in the root node's transform.
pub(super) fn load(bytes: &[u8]) -> Result<ufbx::SceneRoot, ReadError> {
    let memory_limit = ANY_MEMORY.saturating_add(bytes.len().saturating_mul(MEMORY_PER_BYTE));
    let allocator = || ufbx::AllocatorOpts { memory_limit, ..Default::default() };
    let options = ufbx::LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        file_format: ufbx::FileFormat::Fbx,
        ignore_geometry: true,
        ignore_embedded: true,
        skip_skin_vertices: true,
        node_depth_limit: MAX_DEPTH,
        target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        space_conversion: ufbx::SpaceConversion::TransformRoot,
        // Scales that children do not inherit become nodes between, so that transforms simply multiply.
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        ..Default::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| {
        let description = &error.description[..];
        let info = error.info();
        let detail = if info.is_empty() { String::new() } else { format!(" ({info})") };
        ReadError::Malformed {
            line: None,
            message: format!("no readable FBX: {}{detail}", description.trim().to_lowercase()),
            hint: match error.type_ {
                ufbx::ErrorType::MemoryLimit | ufbx::ErrorType::AllocationLimit => {
                    "the file asks for far more memory than its size; export it again without meshes"
                }
                ufbx::ErrorType::UnsupportedVersion => "export it as FBX 2014/2015 or later",
                _ => "the file may be cut off; export it again, binary or text",
            },
        }
    })
}
