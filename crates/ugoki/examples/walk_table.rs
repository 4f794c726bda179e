//! The tables of `docs/results/segments.md` about walking: every capture that walks, its own plan and changed ones.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example walk_table [seen|unseen|NAME]`; without the variable
//! it says so and ends.

mod captures;

use std::ops::ControlFlow;

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki::edit::walk::{Footstep, Gait, Strides, Walked};
use ugoki::limb::standing_contacts;
use ugoki::math::quantile;
use ugoki::metric::foot_skate;
use ugoki::pose::ModelPose;
use ugoki::skeleton::Role;

/// What is asked of every walk.
const WALKS: [(&str, f32, f32, usize, f32); 9] = [
    ("0.3 m", 0.3, 0.3, 8, 0.0),
    ("0.5 m", 0.5, 0.5, 8, 0.0),
    ("0.7 m", 0.7, 0.7, 8, 0.0),
    ("0.9 m", 0.9, 0.9, 8, 0.0),
    ("0.7 to 0.3 m", 0.7, 0.3, 8, 0.0),
    ("90° left", 0.6, 0.6, 8, 90.0),
    ("90° right", 0.6, 0.6, 8, -90.0),
    ("up 15 cm", 0.55, 0.55, 8, 0.0),
    ("down 15 cm", 0.55, 0.55, 8, 0.0),
];

/// What is measured of one walk.
struct Row {
    capture: String,
    unseen: bool,
    walk: String,
    missed_mm: f64,
    slip_mm: f64,
    /// The same by contacts found anew in the result.
    found_slip_mm: f64,
    flips: usize,
    /// Largest joint acceleration against the 99th percentile of the source's, and the source's own largest.
    acceleration: f64,
    own_acceleration: f64,
    knee_deg: [f64; 2],
    pelvis: [f64; 2],
    step_s: f64,
    clearance_mm: f64,
    residual_mm: f64,
    skate_mm_s: f64,
    seconds: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(captures) = captures::wanted()? else { return Ok(()) };
    let go = &mut |_: f32| ControlFlow::Continue(());
    let mut rows: Vec<Row> = Vec::new();
    let (mut refused, mut left) = (Vec::new(), Vec::new());
    println!(
        "| capture | walk | missed mm | slip mm | found again mm | flips | acceleration (source) | knee ° | pelvis / leg | step s | \
         clearance mm | residual mm | source skate mm/s |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for capture in captures {
        let Ok(clip) = capture.load() else { continue };
        // The locomotion captures were all looked at; what walks elsewhere was first measured for the closing table.
        let unseen = !capture.name.contains("locomotion");
        let gait = match Gait::build(&clip, go) {
            Ok(gait) if gait.num_steps() >= 3 && gait.stride_m() > 0.3 => gait,
            Ok(gait) => {
                left.push(format!(
                    "{} ({} steps of {:.2} m)",
                    capture.name,
                    gait.num_steps(),
                    gait.stride_m()
                ));
                continue;
            }
            Err(error) => {
                left.push(format!("{} ({error})", capture.name));
                continue;
            }
        };
        let mut plans = vec![("its own".to_owned(), gait.own_plan())];
        for (name, first, last, count, turn) in WALKS {
            let strides = Strides { stride_m: [first, last], count, turn_deg: turn };
            let mut plan = gait.plan(&strides)?;
            let rise = if name.starts_with("up") {
                0.15
            } else if name.starts_with("down") {
                -0.15
            } else {
                0.0
            };
            plan.iter_mut().skip(3).for_each(|step| step.place.y = rise);
            plans.push((name.to_owned(), plan));
        }
        plans.push(("sideways".to_owned(), sideways(&gait)?));
        for (walk, plan) in plans {
            match gait.walk(&plan, false, go) {
                Ok(walked) => {
                    let row = measure(&capture.name, unseen, &walk, &clip, &walked)?;
                    print_row(&row);
                    rows.push(row);
                }
                Err(error) => refused.push(format!("{} {walk}: {error}", capture.name)),
            }
        }
    }
    println!("\nNot walked with: {}", left.join(", "));
    println!("\nRefused: {}", refused.join("; "));
    summary("seen", &rows.iter().filter(|row| !row.unseen).collect::<Vec<_>>());
    summary("unseen", &rows.iter().filter(|row| row.unseen).collect::<Vec<_>>());
    Ok(())
}

/// Steps to the left: the left foot goes out, the right one follows.
fn sideways(gait: &Gait) -> Result<Vec<Footstep>, Box<dyn std::error::Error>> {
    let mut plan = gait.plan(&Strides { stride_m: [0.0, 0.0], count: 8, turn_deg: 0.0 })?;
    let mut by = 0.0;
    for step in &mut plan {
        let left = step.foot == ugoki::skeleton::Side::Left;
        if left {
            by += 0.25;
        }
        // A little wider than they must stand.
        step.place += Vec3::new(by + if left { 0.03 } else { -0.03 }, 0.0, 0.02);
    }
    Ok(plan)
}

fn poses(clip: &Clip) -> Vec<ModelPose> {
    clip.motion_frames().map(|frame| clip.model_pose(frame)).collect()
}

/// Lengths of the joints' second differences over a sixtieth of a second, m/s².
fn accelerations(clip: &Clip, poses: &[ModelPose]) -> Vec<f64> {
    let half = (clip.fps() / 60.0).round().max(1.0) as usize;
    let rate = (clip.fps() / half as f64).powi(2);
    let mut all = Vec::new();
    for frame in half..poses.len().saturating_sub(half) {
        let [a, b, c] = [frame - half, frame, frame + half].map(|f| &poses[f].positions);
        all.extend((0..b.len()).map(|j| f64::from((a[j] - 2.0 * b[j] + c[j]).length()) * rate));
    }
    all
}

fn legs(clip: &Clip) -> Option<[[usize; 3]; 2]> {
    let find = |role| clip.skeleton().find(role);
    Some([
        [find(Role::LeftUpperLeg)?, find(Role::LeftLowerLeg)?, find(Role::LeftFoot)?],
        [find(Role::RightUpperLeg)?, find(Role::RightLowerLeg)?, find(Role::RightFoot)?],
    ])
}

/// Bend of both knees in every frame, degrees, negative when bent the wrong way.
fn knees(clip: &Clip, poses: &[ModelPose]) -> Vec<[f64; 2]> {
    let Some(legs) = legs(clip) else { return Vec::new() };
    poses
        .iter()
        .map(|pose| {
            legs.map(|[hip, knee, ankle]| {
                let thigh = pose.positions[knee] - pose.positions[hip];
                let shin = pose.positions[ankle] - pose.positions[knee];
                let way = (pose.rotations[hip].inverse() * thigh.cross(shin)).x;
                f64::from(thigh.angle_between(shin).to_degrees() * way.signum())
            })
        })
        .collect()
}

fn slip_mm(clip: &Clip, poses: &[ModelPose], contacts: &Contacts) -> f64 {
    let Ok(feet) = find_feet(clip.skeleton()) else { return f64::NAN };
    let mut worst = 0.0_f32;
    for (foot, found) in feet.feet.iter().zip(&contacts.feet) {
        for (ranges, toe) in [(&found.heel, false), (&found.toe, true)] {
            for range in ranges {
                let at = |f: usize| {
                    if toe { foot.toe.position(&poses[f]) } else { poses[f].positions[foot.ankle] }
                };
                let from = at((range.start + range.end) / 2);
                worst = range.clone().map(|f| at(f).distance(from)).fold(worst, f32::max);
            }
        }
    }
    f64::from(1e3 * worst)
}

fn measure(
    capture: &str,
    unseen: bool,
    walk: &str,
    clip: &Clip,
    walked: &Walked,
) -> Result<Row, Box<dyn std::error::Error>> {
    let out = &walked.clip;
    let (before, after) = (poses(clip), poses(out));
    let feet = find_feet(out.skeleton())?;
    let found = find_contacts(out, &ContactConfig::default())?;
    let standing = standing_contacts(out, &found)?;
    let own = accelerations(clip, &before);
    let limit = quantile(&own, 0.99).unwrap_or(f64::NAN);
    let own_most = own.into_iter().fold(0.0, f64::max);
    let most = accelerations(out, &after).into_iter().fold(0.0, f64::max);
    let bends = knees(out, &after);
    let own = knees(clip, &before);
    let least = own.iter().flatten().copied().fold(0.0, f64::min);
    let all: Vec<f64> = bends.iter().flatten().copied().collect();
    let hips = out.skeleton().find(Role::Hips).unwrap_or(0);
    // Hips over the lower ankle, against the leg.
    let heights: Vec<f64> = after
        .iter()
        .map(|pose| {
            let low = feet.feet.iter().map(|foot| pose.positions[foot.ankle].y).fold(f32::INFINITY, f32::min);
            f64::from(pose.positions[hips].y - low) / feet.leg_m
        })
        .collect();
    let times: Vec<f64> = walked.steps.windows(2).map(|pair| pair[1].end_s - pair[0].end_s).collect();
    Ok(Row {
        capture: capture.rsplit('/').next().unwrap_or(capture).to_owned(),
        unseen,
        walk: walk.to_owned(),
        missed_mm: walked
            .steps
            .iter()
            .map(|s| f64::from(1e3 * s.reached.distance(s.planned.place)))
            .fold(0.0, f64::max),
        slip_mm: walked.steps.iter().map(|s| f64::from(1e3 * s.slip_m)).fold(0.0, f64::max),
        found_slip_mm: slip_mm(out, &after, &standing),
        flips: bends.iter().flatten().filter(|bend| **bend < least.min(-5.0)).count(),
        acceleration: most / limit,
        own_acceleration: own_most / limit,
        knee_deg: [quantile(&all, 0.0).unwrap_or(0.0), quantile(&all, 1.0).unwrap_or(0.0)],
        pelvis: [quantile(&heights, 0.0).unwrap_or(0.0), quantile(&heights, 1.0).unwrap_or(0.0)],
        step_s: quantile(&times, 0.5).unwrap_or(f64::NAN),
        clearance_mm: clearance_mm(walked, &after, out),
        residual_mm: f64::from(1e3 * walked.residual_m),
        skate_mm_s: 1e3 * foot_skate(clip, &ContactConfig::default())?,
        seconds: out.seconds(),
    })
}

/// Least height of a swinging toe over where it stood before or will stand, whichever is higher, while it passes the other
/// foot, mm.
fn clearance_mm(walked: &Walked, after: &[ModelPose], out: &Clip) -> f64 {
    let Ok(feet) = find_feet(out.skeleton()) else { return f64::NAN };
    let mut least = f64::INFINITY;
    for pair in walked.steps.windows(3) {
        let (was, step) = (&pair[0], &pair[2]);
        let foot = &feet.feet[usize::from(step.planned.foot == ugoki::skeleton::Side::Right)];
        let frame = |s: f64| ((s * out.fps()).round() as usize).min(after.len() - 1);
        let (from, to) = (frame(step.start_s), frame(step.end_s));
        let toe = |f: usize| foot.toe.position(&after[f]);
        // The toe's height when it stands, over the higher of the two grounds.
        let side = usize::from(step.planned.foot == ugoki::skeleton::Side::Right);
        let stood: Vec<f64> = (walked.contacts[side].toe.iter())
            .map(|range| (range.start + range.end) / 2)
            .filter(|&f| f <= from)
            .map(|f| f64::from(toe(f).y))
            .collect();
        let Some(ground) = stood.last() else { continue };
        let ground = *ground as f32 + (step.planned.place.y - was.planned.place.y).max(0.0);
        let (a, b) = (was.planned.place.with_y(0.0), step.planned.place.with_y(0.0));
        let length = (b - a).length().max(1e-3);
        for (f, body) in after.iter().enumerate().take(to).skip(from) {
            let share = (body.positions[foot.ankle].with_y(0.0) - a).dot(b - a) / (length * length);
            // Passing the other foot; past its toes a foot that steps down may be lower.
            if (0.45..0.62).contains(&share) {
                least = least.min(f64::from(1e3 * (toe(f).y - ground)));
            }
        }
    }
    least
}

fn print_row(row: &Row) {
    println!(
        "| {} | {} | {:.2} | {:.3} | {:.1} | {} | {:.2} ({:.1}) | {:.0}–{:.0} | {:.2}–{:.2} | {:.2} | {:.0} | {:.2} | {:.0} | {:.1}",
        row.capture,
        row.walk,
        row.missed_mm,
        row.slip_mm,
        row.found_slip_mm,
        row.flips,
        row.acceleration,
        row.own_acceleration,
        row.knee_deg[0],
        row.knee_deg[1],
        row.pelvis[0],
        row.pelvis[1],
        row.step_s,
        row.clearance_mm,
        row.residual_mm,
        row.skate_mm_s,
        row.seconds,
    );
}

/// A figure of a row and what it is called.
type Measure = (&'static str, fn(&Row) -> f64);

fn summary(title: &str, rows: &[&Row]) {
    let measures: [Measure; 6] = [
        ("footfalls off the plan, mm", |r| r.missed_mm),
        ("slip while labelled, mm", |r| r.slip_mm),
        ("slip by contacts found in the result, mm", |r| r.found_slip_mm),
        ("frames with a knee bent back", |r| r.flips as f64),
        ("largest acceleration / source's 99th percentile", |r| r.acceleration),
        ("standing feet not reached, mm", |r| r.residual_mm),
    ];
    println!("\n{title}: {} walks\n\n| | median | 90 % | worst |\n|---|---|---|---|", rows.len());
    for (name, measure) in measures {
        let values: Vec<f64> = rows.iter().map(|row| measure(row)).collect();
        let mut order: Vec<&&Row> = rows.iter().collect();
        order.sort_by(|a, b| measure(b).total_cmp(&measure(a)));
        let worst: Vec<String> = (order.iter().take(5))
            .map(|row| format!("{} {} ({:.2})", row.capture, row.walk, measure(row)))
            .collect();
        let at = |p: f64| quantile(&values, p).unwrap_or(f64::NAN);
        println!("| {name} | {:.2} | {:.2} | {} |", at(0.5), at(0.9), worst.join(", "));
    }
}
