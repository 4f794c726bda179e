"""BVH or GLB to FBX with Blender's own importer and exporter: the route that docs/formats/fbx.md describes.

Usage: to_fbx.py IN.bvh|IN.glb OUT.fbx [FPS of a GLB, default 60], with the `bpy` module of PyPI, or
`blender --background --python scripts/oracles/to_fbx.py -- IN OUT`.
"""

import sys

import bpy


def main(source, target, fps=60):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if source.lower().endswith(".bvh"):
        # Ugoki writes centimetres and Blender means metres.
        bpy.ops.import_anim.bvh(
            filepath=source,
            global_scale=0.01,
            update_scene_fps=True,
            axis_forward="-Z",
            axis_up="Y",
        )
    else:
        # Keys fall on frames only at the clip's own rate, which glTF does not state.
        bpy.context.scene.render.fps = int(fps)
        bpy.ops.import_scene.gltf(filepath=source)
    # The BVH importer begins at frame 1, and so would the FBX: a frame late.
    for action in bpy.data.actions:
        start = action.frame_range[0]
        for curve in action.fcurves:
            for key in curve.keyframe_points:
                for point in (key.co, key.handle_left, key.handle_right):
                    point.x -= start
    # Neither importer makes the scene as short as the motion.
    ranges = [action.frame_range for action in bpy.data.actions]
    if ranges:
        bpy.context.scene.frame_start = round(min(start for start, _ in ranges))
        bpy.context.scene.frame_end = round(max(end for _, end in ranges))
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
