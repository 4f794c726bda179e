//! Clips in their compressed form: decoding any frame, unpacking a blob, and opening a database of many clips.

use std::hint::black_box;

use ugoki::clip::{Clip, PackedClip, shell_error};
use ugoki::math::{Random, slerp};
use ugoki::pose::Pose;
use ugoki_db::{CreateConfig, DEFAULT_FPS, Database};

use super::smallest_three::SmallestThree;
use super::{quiet, sound};
use crate::clock::Bench;
use crate::data::{LENGTHS, near, swinging, walk};

/// Frames that are asked for, in random order.
const ASKED: usize = 1024;

pub(crate) fn measure(bench: &mut Bench) {
    let mut random = Random::new(5);
    for &frames in bench.sizes(&LENGTHS) {
        let clip = swinging(frames, 1);
        let packed = PackedClip::pack(&clip, &mut quiet).expect("a finite clip");
        let asked: Vec<usize> = (0..ASKED).map(|_| random.index(frames)).collect();
        let mut pose = Pose::rest(clip.skeleton());
        let mut next = asked.iter().cycle();
        bench.measure("database.decode", frames, 1.0, || {
            packed.pose_into(*next.next().expect("a cycle"), black_box(&mut pose));
        });
        bench.variant("database.decode", "plain f32, not packed", frames, 1.0, || {
            clip.pose_into(*next.next().expect("a cycle"), black_box(&mut pose));
        });
        if frames == 1000 || bench.smoke {
            lost(bench, &clip, &packed, &asked);
        }
        let bytes = packed.to_bytes();
        let thousands = frames as f64 / 1000.0;
        bench.measure("database.unpack", frames, thousands, || {
            sound(PackedClip::from_bytes(clip.skeleton(), &bytes));
        });
        bench.measure("database.pack", frames, thousands, || {
            sound(PackedClip::pack(&clip, &mut quiet));
        });
    }
    for &clips in bench.sizes(&[10, 100, 1000, 2500]) {
        open(bench, clips).expect("a database in the temporary folder");
    }
}

/// Forms of a frame that lost against the one used.
fn lost(bench: &mut Bench, clip: &Clip, packed: &PackedClip, asked: &[usize]) {
    let (task, frames) = ("database.decode", clip.num_frames());
    let three = SmallestThree::pack(clip);
    let error = (0..frames).map(|f| shell_error(clip.skeleton(), &clip.pose(f), &three.pose(f)));
    let what = format!(
        "smallest three in 48 bits, {:.2} mm off (packed {:.2}), {:.1} × its bytes",
        error.fold(0.0, f64::max) * 1e3,
        packed.max_error_m() * 1e3,
        three.num_bytes() as f64 / packed.to_bytes().len() as f64
    );
    let (mut a, mut b) = (Pose::rest(clip.skeleton()), Pose::rest(clip.skeleton()));
    let mut next = asked.iter().map(|frame| frame % (frames - 1)).cycle();
    bench.variant(task, &what, frames, 1.0, || {
        three.pose_into(next.next().expect("a cycle"), black_box(&mut a));
    });
    bench.variant(task, "between two frames, sample_into", frames, 1.0, || {
        let seconds = (next.next().expect("a cycle") as f64 + 0.4) / clip.fps();
        packed.sample_into(seconds, black_box(&mut a));
    });
    bench.variant(task, "between two frames, two poses and slerp", frames, 1.0, || {
        let frame = next.next().expect("a cycle");
        packed.pose_into(frame, &mut a);
        packed.pose_into(frame + 1, &mut b);
        for (a, b) in a.rotations.iter_mut().zip(&b.rotations) {
            *a = slerp(*a, *b, 0.4);
        }
        black_box(&mut a);
    });
    let whole = clip.to_bytes();
    bench.variant(
        "database.unpack",
        "without loss, Clip::from_bytes",
        frames,
        frames as f64 / 1000.0,
        || {
            sound(Clip::from_bytes(&whole));
        },
    );
}

/// Opening a database of so many clips and finding one by name.
fn open(bench: &mut Bench, clips: usize) -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::temp_dir().join(format!("ugoki-bench-{}-{clips}.ugoki", std::process::id()));
    let walk = walk();
    let config = CreateConfig { skeleton: walk.skeleton().clone(), fps: DEFAULT_FPS };
    let mut database = Database::create(&file, &config)?;
    let short = walk.trimmed(0..walk.num_frames().min(30))?;
    for number in 0..clips {
        let mut clip: Clip = near(&short, number as u64);
        clip.name = format!("clip {number}");
        database.add_clip(&clip)?;
    }
    database.close()?;
    let name = format!("clip {}", clips / 2);
    bench.measure("database.open", clips, 1.0, || {
        let database = Database::open_read_only(&file).expect("the database just written");
        black_box(database.find(&name).expect("a clip by name"));
    });
    std::fs::remove_file(&file)?;
    Ok(())
}
