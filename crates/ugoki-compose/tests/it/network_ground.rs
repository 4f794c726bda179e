//! The ground under the sample actor, and what is cut where he jumps.

use ugoki_base::no_progress;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_compose::network::{CutConfig, Ground, cut_clip};
use ugoki_sample as sample;

/// Thrown up at some speed, m/s, after a second.
fn jump(speed: f32) -> Clip {
    let mut clip = sample::clip("idle").expect("a sample motion");
    let fps = clip.fps() as f32;
    for frame in 0..clip.num_frames() {
        let t = (frame as f32 / fps - 1.0).max(0.0);
        let up = (speed * t - 0.5 * 9.81 * t * t).max(0.0);
        let place = clip.root().get(frame) + Vec3::Y * up;
        clip.root_mut().set(frame, place);
    }
    clip
}

#[test]
fn going_up_is_no_level_ground_and_pieces_add_up() {
    let up = sample::clip("step-up").expect("a sample motion");
    let ground = Ground::under(&up);
    let whole = ground.climb(0..up.num_frames());
    assert!(whole.end_m > 0.1 && whole.high_m >= whole.end_m, "{whole:?}");
    let (a, b) = (ground.climb(0..40), ground.climb(39..up.num_frames()));
    assert!((a.end_m + b.end_m - whole.end_m).abs() < 1e-6);
    assert!((a.high_m.max(a.end_m + b.high_m) - whole.high_m).abs() < 1e-6);
}

#[test]
fn walking_kicking_and_jumping_are_level() {
    let level = |clip: &Clip, name: &str| {
        let climb = Ground::under(clip).climb(0..clip.num_frames());
        assert!(climb.high_m < 0.06 && climb.low_m > -0.06, "{name}: {climb:?}");
    };
    for name in ["front-kick", "run", "walk", "bow", "squat", "side-step"] {
        level(&sample::clip(name).expect("a sample motion"), name);
    }
    // Half a metre and more in the air.
    for speed in [2.0, 3.0, 4.0] {
        level(&jump(speed), "jump");
    }
}

#[test]
fn no_piece_begins_or_ends_in_the_air() {
    for speed in [2.0_f32, 3.0, 4.0] {
        let clip = jump(speed);
        let pieces: Vec<_> = cut_clip(&clip, &CutConfig::default(), &mut no_progress())
            .expect("pieces")
            .into_iter()
            .filter(|cut| !cut.whole)
            .collect();
        let air = |frame: usize| {
            let t = frame as f32 / clip.fps() as f32 - 1.0;
            // A tenth of a second at either end is no clear flight yet.
            t > 0.1 && t < speed / 4.905 - 0.1
        };
        assert!(pieces.iter().all(|cut| !air(cut.frames.start) && !air(cut.frames.end - 1)), "{pieces:?}");
        assert!(pieces.windows(2).all(|pair| pair[0].frames.end == pair[1].frames.start), "{pieces:?}");
    }
}
