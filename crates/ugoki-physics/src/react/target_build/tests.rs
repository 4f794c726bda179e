//! Properties of targets.

use ugoki_sample as sample;

use super::*;

#[test]
fn the_same_motion_at_another_rate_turns_round_at_the_same_times() {
    for name in ["squat", "walk", "reach-up"] {
        let clip = sample::clip(name).unwrap();
        let at = |fps: f64| {
            let clip = clip.resampled(fps).unwrap();
            Target::build(&clip, &Config::default(), &mut ugoki_base::no_progress()).unwrap()
        };
        let [a, b, c] = [30.0, 60.0, 120.0].map(at);
        assert!((a.dt - c.dt).abs() < 1e-12 && (b.dt - c.dt).abs() < 1e-12);
        for other in [&a, &b] {
            let steps = other.num_steps.min(c.num_steps) + 1;
            let links = c.body.links().len();
            let pairs = (0..steps).flat_map(|step| (0..links).map(move |link| (step, link)));
            let pairs = pairs.map(|(step, link)| (other.horizon_s(step, link), c.horizon_s(step, link)));
            // A turn found a frame of the slower rate sooner or later. Shallow turns of the reach, which one rate has and the other
            // smooths away, make 7.5 %.
            let far = pairs.filter(|(x, y)| (x - y).abs() > 1.0 / 30.0).count();
            let ratio = far as f64 / (steps * links) as f64;
            println!("{name} at {:.0} fps: {:.1} % differ", other.clip.fps(), 100.0 * ratio);
            assert!(ratio < 0.10, "{name}: {ratio}");
        }
    }
}
