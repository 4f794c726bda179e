//! Byte forms on real captures, and the tables of `docs/results/codec.md`:
//!
//! ```text
//! UGOKI_TABLES=1 UGOKI_CAPTURES=… cargo test --profile smoke -p ugoki-base --test it codec_captures -- --nocapture --test-threads 1
//! ```
//!
//! With `UGOKI_DUMP=FOLDER` the tables also write each clip's bytes there, for a compressor to try.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use glam::Vec3;
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::math::{Random, median, quantile};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_formats::bvh::{WriteOptions, write};
use ugoki_testing::codec::{captures, folder, pack, raw_bytes};

/// The bound of packed clips, metres.
const BOUND_M: f32 = 1e-4;
/// Clips from four blocks on must each reach a quarter; in shorter ones what a clip needs once and a last block that is
/// not full weigh more. `docs/results/codec.md` names those that miss it.
const LONG: usize = 128;

#[test]
fn captures_come_back_to_the_bit_and_export_the_same() {
    let Some(folder) = folder("one per BVH file") else { return };
    for (name, clip) in captures(&folder) {
        let back = Clip::from_bytes(&clip.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == clip, "{name}");
        let options = WriteOptions::default();
        assert!(write(&back, &options).bytes == write(&clip, &options).bytes, "{name}");
    }
}

#[test]
fn packed_captures_take_a_quarter_and_keep_the_bound() {
    let Some(folder) = folder("two per BVH file") else { return };
    let mut sums = [(0, 0, 0); 2];
    for (name, clip) in captures(&folder) {
        for (sum, clip) in sums.iter_mut().zip([clip.resampled(60.0).unwrap(), clip]) {
            let packed = pack(&clip);
            assert!(packed.max_error_m() <= BOUND_M, "{name}: {} m", packed.max_error_m());
            let (raw, bytes) = (raw_bytes(&clip), packed.to_bytes());
            let sizes = (raw, bytes.len(), packed.memory());
            assert!(clip.num_frames() < LONG || 4 * sizes.1.max(sizes.2) <= raw, "{name}: {sizes:?}");
            *sum = (sum.0 + sizes.0, sum.1 + sizes.1, sum.2 + sizes.2);
            let again = PackedClip::from_bytes(clip.skeleton(), &bytes).unwrap();
            assert!(again == packed, "{name}");
        }
    }
    for (raw, bytes, memory) in sums {
        assert!(4 * bytes.max(memory) <= raw, "all together: {raw}, {bytes}, {memory}");
    }
}

/// The clip on its skeleton with five fingers of three joints at each hand, all at rest.
fn with_fingers(clip: &Clip) -> Option<Clip> {
    let mut joints = clip.skeleton().joints().to_vec();
    for hand in [Role::LeftHand, Role::RightHand] {
        let hand = clip.skeleton().find(hand)?;
        for finger in 0..5 {
            let mut parent = hand;
            for part in 0..3 {
                joints.push(Joint::new(
                    format!("finger {hand} {finger} {part}"),
                    Some(parent),
                    Vec3::X * 0.03,
                ));
                parent = joints.len() - 1;
            }
        }
    }
    let skeleton = Skeleton::build(joints).unwrap();
    let mut out = Clip::at_rest(skeleton, clip.fps(), clip.num_frames()).unwrap();
    for frame in 0..clip.num_frames() {
        let mut pose = clip.pose(frame);
        pose.rotations.resize(out.num_joints(), glam::Quat::IDENTITY);
        out.set_pose(frame, &pose);
    }
    Some(out)
}

/// One capture's figures.
struct Row {
    name: String,
    frames: usize,
    bytes: f64,
    memory: f64,
    error_mm: f64,
    /// Median and 99th percentile of one frame, ns: packed, and gathered from the plain clip.
    packed_ns: [f64; 2],
    plain_ns: [f64; 2],
    open_ms: f64,
    pack_ms: f64,
}

/// Frames per look at the clock, so that asking it does not count.
const BATCH: usize = 8;
const ROUNDS: usize = 400;

fn measure(name: &str, clip: &Clip) -> Row {
    let start = Instant::now();
    let packed = pack(clip);
    let pack_ms = start.elapsed().as_secs_f64() * 1e6 / clip.num_frames() as f64;
    let bytes = packed.to_bytes();
    let open: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            black_box(PackedClip::from_bytes(clip.skeleton(), &bytes).unwrap());
            start.elapsed().as_secs_f64() * 1e6 / clip.num_frames() as f64
        })
        .collect();
    let mut random = Random::new(1);
    let mut pose = Pose::rest(clip.skeleton());
    let (mut packed_ns, mut plain_ns) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let frames: [usize; BATCH] = std::array::from_fn(|_| random.index(clip.num_frames()));
        let start = Instant::now();
        frames.iter().for_each(|&frame| packed.pose_into(frame, black_box(&mut pose)));
        packed_ns.push(start.elapsed().as_nanos() as f64 / BATCH as f64);
        let start = Instant::now();
        frames.iter().for_each(|&frame| clip.pose_into(frame, black_box(&mut pose)));
        plain_ns.push(start.elapsed().as_nanos() as f64 / BATCH as f64);
    }
    let spread = |values: &[f64]| [0.5, 0.99].map(|p| quantile(values, p).expect("values"));
    Row {
        name: name.to_owned(),
        frames: clip.num_frames(),
        bytes: raw_bytes(clip) as f64 / bytes.len() as f64,
        memory: raw_bytes(clip) as f64 / packed.memory() as f64,
        error_mm: f64::from(packed.max_error_m()) * 1e3,
        packed_ns: spread(&packed_ns),
        plain_ns: spread(&plain_ns),
        open_ms: median(&open).expect("values"),
        pack_ms,
    }
}

fn print_table(title: &str, rows: &[Row]) {
    println!(
        "\n{title}\n\n| captures | frames | bytes: median, worst | memory: median, worst | largest error mm | decode ns: median, worst, p99 | plain ns: median, p99 | open ms: median, worst | pack ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        let group = if row.frames < LONG {
            "under 128 frames"
        } else {
            row.name.rsplit_once('/').map_or("", |(g, _)| g)
        };
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((group, vec![row])),
        }
    }
    let long: Vec<&Row> = rows.iter().filter(|row| row.frames >= LONG).collect();
    groups.push(("**all of 128 frames and more**", long));
    for (group, rows) in groups {
        let mid = |value: fn(&Row) -> f64| {
            median(&rows.iter().map(|row| value(row)).collect::<Vec<_>>()).expect("rows")
        };
        let low =
            |value: fn(&Row) -> f64| rows.iter().min_by(|a, b| value(a).total_cmp(&value(b))).expect("a row");
        let high =
            |value: fn(&Row) -> f64| rows.iter().max_by(|a, b| value(a).total_cmp(&value(b))).expect("a row");
        let file =
            |row: &Row| row.name.rsplit('/').next().unwrap_or_default().trim_end_matches(".bvh").to_owned();
        let (bytes, memory, error) = (low(|r| r.bytes), low(|r| r.memory), high(|r| r.error_mm));
        let (slow, open) = (high(|r| r.packed_ns[0]), high(|r| r.open_ms));
        println!(
            "| {group} ({}) | {} | 1/{:.2}, 1/{:.2} ({}) | 1/{:.2}, 1/{:.2} ({}) | {:.4} ({}) | {:.0}, {:.0} ({}), {:.0} | {:.0}, {:.0} | {:.3}, {:.3} ({}) | {:.1} |",
            rows.len(),
            rows.iter().map(|row| row.frames).sum::<usize>(),
            mid(|r| r.bytes),
            bytes.bytes,
            file(bytes),
            mid(|r| r.memory),
            memory.memory,
            file(memory),
            error.error_mm,
            file(error),
            mid(|r| r.packed_ns[0]),
            slow.packed_ns[0],
            file(slow),
            mid(|r| r.packed_ns[1]),
            mid(|r| r.plain_ns[0]),
            mid(|r| r.plain_ns[1]),
            mid(|r| r.open_ms),
            open.open_ms,
            file(open),
            mid(|r| r.pack_ms),
        );
    }
}

#[test]
fn tables() {
    if std::env::var_os("UGOKI_TABLES").is_none() {
        println!("skipped: UGOKI_TABLES is not set (tables)");
        return;
    }
    let Some(folder) = folder("tables") else { return };
    let mut clips = captures(&folder);
    // A skeleton without frames has nothing to pack.
    clips.retain(|(_, clip)| clip.num_frames() > 0);
    if let Some(dump) = std::env::var_os("UGOKI_DUMP") {
        for (name, clip) in &clips {
            let file = name.replace('/', "_");
            let resampled = clip.resampled(60.0).unwrap();
            let at = |ending: &str| Path::new(&dump).join(format!("{file}.{ending}"));
            std::fs::write(at("clip"), clip.to_bytes()).unwrap();
            std::fs::write(at("packed"), pack(clip).to_bytes()).unwrap();
            std::fs::write(at("packed60"), pack(&resampled).to_bytes()).unwrap();
        }
    }
    let own: Vec<Row> = clips.iter().map(|(name, clip)| measure(name, clip)).collect();
    print_table("At their own rate", &own);
    let at_60: Vec<Row> =
        clips.iter().map(|(name, clip)| measure(name, &clip.resampled(60.0).unwrap())).collect();
    print_table("At 60 fps", &at_60);
    let fingers: Vec<Row> = clips
        .iter()
        .filter_map(|(name, clip)| Some(measure(name, &with_fingers(&clip.resampled(60.0).unwrap())?)))
        .collect();
    print_table("At 60 fps with 30 finger joints at rest", &fingers);
    println!("\n| file | frames | bytes | bytes at 60 fps |\n|---|---|---|---|");
    for (own, at_60) in own.iter().zip(&at_60) {
        println!("| {} | {} | 1/{:.2} | 1/{:.2} |", own.name, own.frames, own.bytes, at_60.bytes);
    }
}
