//! Byte forms on real captures, and the tables of `docs/results/codec.md`:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --profile smoke -p ugoki --test codec_captures -- --nocapture --test-threads 1
//! ```

mod codec_support;

use codec_support::{captures, folder, pack, raw_bytes};

#[test]
fn tables() {
    let Some(folder) = folder("one per BVH file") else { return };
    for rate in [None, Some(60.0)] {
        let mut ratios: Vec<(f64, f64, f32, String)> = Vec::new();
        let (mut raw, mut packed_bytes) = (0, 0);
        let start = std::time::Instant::now();
        let mut frames = 0;
        for (name, clip) in captures(&folder) {
            let clip = rate.map_or(clip.clone(), |fps| clip.resampled(fps).unwrap());
            let packed = pack(&clip);
            let bytes = packed.to_bytes().len();
            let r = raw_bytes(&clip);
            frames += clip.num_frames();
            raw += r;
            packed_bytes += bytes;
            ratios.push((
                r as f64 / bytes as f64,
                r as f64 / packed.memory() as f64,
                packed.max_error_m(),
                format!("{name} {} frames", clip.num_frames()),
            ));
        }
        println!("{:?} {frames} frames took {:?}", rate, start.elapsed());
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        println!(
            "{:?} total {} median {:?}",
            rate,
            raw as f64 / packed_bytes as f64,
            ratios[ratios.len() / 2]
        );
        let long: Vec<_> = ratios.iter().filter(|r| r.3.contains("cmu")).collect();
        println!(
            "cmu worst {:?} {:?} {:?} median {:?} best {:?}",
            long[0],
            long[1],
            long[2],
            long[long.len() / 2],
            long[long.len() - 1]
        );
        println!("all worst {:?}", &ratios[..12]);
        println!("error {}", ratios.iter().map(|r| r.2).fold(0.0, f32::max));
    }
}
