"""BVH or GLB to FBX with Blender's own importer and exporter: the route that docs/formats/fbx.md describes.

Usage: to_fbx.py IN.bvh|IN.glb OUT.fbx, with the `bpy` module of PyPI, or
`blender --background --python scripts/oracles/to_fbx.py -- IN OUT`.
"""

import sys

import bpy


def main(source, target):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if source.lower().endswith(".bvh"):
        # Ugoki writes centimetres and Blender means metres.
        bpy.ops.import_anim.bvh(
            filepath=source,
            global_scale=0.01,
            update_scene_fps=True,
            update_scene_duration=True,
            axis_forward="-Z",
            axis_up="Y",
        )
    else:
        bpy.ops.import_scene.gltf(filepath=source)
        # The importer leaves the scene's rate and length as they were.
        ends = [action.frame_range[1] for action in bpy.data.actions]
        bpy.context.scene.frame_end = int(round(max(ends, default=1)))
    bpy.ops.export_scene.fbx(
        filepath=target,
        object_types={"ARMATURE", "MESH"},
        add_leaf_bones=False,
        bake_anim=True,
        bake_anim_use_all_actions=False,
        bake_anim_use_nla_strips=False,
        bake_anim_simplify_factor=0.0,
    )


main(*(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
