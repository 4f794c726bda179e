//! A live performance takes the caller's buffers and never allocates, whatever the method, jumps included.

use ugoki_base::no_progress;

use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_perform::{Imitation, LearnConfig, Method, RunConfig, Runner, learn};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn performing_does_not_allocate() {
    let clips: Vec<Clip> = ["punch", "bow", "front-kick"].iter().map(|n| sample::clip(n).unwrap()).collect();
    let imitations: Vec<Imitation<'_>> =
        clips.iter().map(|clip| Imitation { actor: clip, performer: Some(clip) }).collect();
    let go_on = &mut no_progress();
    let (model, _) = learn(&imitations, &LearnConfig::default(), go_on).unwrap();
    let bodies: Vec<_> =
        clips.iter().flat_map(|clip| (0..clip.num_frames()).map(|frame| clip.model_pose(frame))).collect();
    for method in [Method::Follow, Method::Paper, Method::Dp] {
        let config = RunConfig { method, amount: 0.5, ..RunConfig::default() };
        let skeleton = clips[0].skeleton();
        let mut runner = Runner::build(&model, skeleton, clips[0].fps(), config).unwrap();
        let mut pose = Pose::rest(skeleton);
        runner.step(&model, skeleton, &bodies[0], &mut pose);
        let mut motions = [false; 3];
        let count = allocations(|| {
            for body in bodies.iter().chain(bodies.iter().rev().step_by(3)) {
                if let Some(frame) = runner.step(&model, skeleton, body, &mut pose) {
                    motions[frame.motion] = true;
                }
            }
        });
        assert_eq!(count, 0, "{method}");
        assert!(motions.iter().filter(|seen| **seen).count() > 1, "{method}: the motion changes");
    }
}
