//! Mixing built blends does not allocate.

use ugoki_base::clip::Clip;
use ugoki_motion::blend::{BlendConfig, BlendMethod, build_blend};
use ugoki_testing::allocations;
use ugoki_testing::bodies::{quiet, wandering_clip};

#[test]
fn mixing_does_not_allocate() {
    // Five frames take the scalar way; sixty the eight-wide one, and some of its means the scalar one.
    for frames in [5, 60] {
        let clips: Vec<Clip> = (0..9).map(|k| wandering_clip(k, frames, 0.3)).collect();
        let list: Vec<&Clip> = clips.iter().collect();
        for method in [BlendMethod::Exact, BlendMethod::Qlerp] {
            for base in [BlendConfig::plain(&[0.2; 9]), BlendConfig::new(&[0.2; 9])] {
                let built = build_blend(&list, &BlendConfig { method, ..base }, &mut quiet).unwrap();
                let mut out = built.empty_clip();
                let count = allocations(|| assert!(built.mix_into(&mut out, &mut quiet).is_ok()));
                assert_eq!(count, 0, "{frames} frames, {method:?}");
            }
        }
    }
    let counted = allocations(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted, 1, "the counter counts");
}
