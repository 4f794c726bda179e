//! The examples themselves.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use glam::Vec3;

use ugoki::clip::{Clip, RootMotion};
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::formats::{self, Marks, Read, ReadOptions};
use ugoki::math::{Random, exp};
use ugoki::picture::View;
use ugoki::sample::{self, SampleMotion};
use ugoki::signal::{FilterConfig, KernelShape, Part, TimeAlign};
use ugoki::skeleton::Role;
use ugoki::{Progress, report};

use super::{Example, File, Motion, exchange};
use crate::blend::Blend;
use crate::compare::compare;
use crate::convert::{self, Change};
use crate::equalize::Equalize;
use crate::filter::Filter;
use crate::motion_verb::{Made, MotionVerb};
use crate::plant::Plant;
use crate::react::{self, Control, Load, React};
use crate::render::{ForceReport, Render, Size};
use crate::{Error, Host, Opened, Reading, check};

/// A BVH with faults that real files have; `check` must name them all and still read it.
const ODD_BVH: &str = "HIERARCHY\r\nROOT mixamorig:Hips\r\n{\r\n\tOFFSET 0,0 90,5 0,0\r\n\
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\r\n\
\tJOINT mixamorig:Spine\r\n\t{\r\n\t\tOFFSET 0 12,5 0\r\n\t\tCHANNELS 3 Yrotation Xrotation Zrotation\r\n\
\t\tEnd site\r\n\t\t{\r\n\t\t\tOFFSET 0 45 0\r\n\t\t}\r\n\t}\r\n}\r\nMOTION\r\nFrames: 4\r\nFrame Time: ,0333\r\n\
0 90,5 0 0 0 0 0 0 0\r\n0 90,5 1,2e-1 0 0-7,5 1 2 3\r\n0 90,5 0,2 0 0 0 2 3 4\r\n";

/// Thumbnails have 12 frames per second: smooth enough to judge a motion, half the size of 25.
fn thumbnail_frames(clip: &Clip) -> usize {
    (12.0 * clip.seconds()).ceil() as usize
}

/// Writes one sample motion and its animation.
pub(super) fn gallery_entry(
    motion: &SampleMotion,
    clip: &Clip,
    files: &mut Vec<File>,
) -> Result<Motion, Error> {
    let file = format!("{}.bvh", motion.name);
    let picture = format!("{}.gif", motion.name);
    push_bvh(files, &file, clip);
    push_picture(files, &picture, clip, thumbnail_frames(clip), (240, 240), View::ThreeQuarter)?;
    Ok(Motion {
        name: motion.name.to_owned(),
        summary: motion.summary.to_owned(),
        tags: motion.tags.iter().map(|&tag| tag.to_owned()).collect(),
        seconds: clip.seconds(),
        file,
        picture,
    })
}

/// One example per capability, in the order a newcomer meets them.
pub(super) fn all(
    files: &mut Vec<File>,
    host: &mut dyn Host,
    progress: Progress<'_>,
) -> Result<Vec<Example>, Error> {
    let walk = named("walk")?;
    let mut examples = Vec::new();
    examples.push(pictures(files, &walk)?);
    report(progress, 0.25)?;
    examples.push(validation(files)?);
    report(progress, 0.5)?;
    examples.push(conversions(files, &walk)?);
    examples.push(exchange::exchanging(files, &walk)?);
    examples.push(exchange::retargeting(files, &walk)?);
    report(progress, 0.75)?;
    examples.push(planting(files, &walk, host)?);
    report(progress, 0.9)?;
    examples.push(comparisons(&walk)?);
    examples.push(filtering(files, &walk, host)?);
    examples.push(equalizing(files, &walk, host)?);
    examples.push(blending(files)?);
    examples.push(reacting(files, host)?);
    Ok(examples)
}

fn pictures(files: &mut Vec<File>, walk: &Clip) -> Result<Example, Error> {
    push_picture(files, "walk-sheet.png", walk, 8, (1200, 0), View::ThreeQuarter)?;
    push_picture(files, "walk-side.svg", walk, 8, (1200, 0), View::Side)?;
    Ok(Example {
        title: "See a motion",
        text: "A contact sheet, a vector drawing and an animation: left is one colour, right another, footprints \
               are where the feet stood."
            .to_owned(),
        commands: vec![
            "ugoki render walk.bvh walk-sheet.png --frames 8".to_owned(),
            "ugoki render walk.bvh walk-side.svg --view side".to_owned(),
        ],
        files: vec!["walk-sheet.png".to_owned(), "walk-side.svg".to_owned()],
        output: String::new(),
    })
}

fn validation(files: &mut Vec<File>) -> Result<Example, Error> {
    files.push(File { name: "odd.bvh".to_owned(), bytes: ODD_BVH.as_bytes().to_vec() });
    let read = formats::read(ODD_BVH.as_bytes(), Some("bvh"), &ReadOptions::default())?;
    let mut output = String::new();
    for finding in check::from_opened(Opened::Motion(Box::new(read))).1 {
        let _ = writeln!(output, "{}", check::explained(&finding));
    }
    Ok(Example {
        title: "Find out what is wrong with a file",
        text: "Decimal commas, glued numbers, a missing frame, a rounded frame time: real files have them. All are \
               read, and all are reported."
            .to_owned(),
        commands: vec!["ugoki check odd.bvh".to_owned()],
        files: vec!["odd.bvh".to_owned()],
        output,
    })
}

fn conversions(files: &mut Vec<File>, walk: &Clip) -> Result<Example, Error> {
    let go_on = &mut |_| ControlFlow::Continue(());
    let mirror = convert::apply(&Change { mirror: true, ..Change::default() }, walk, go_on)?;
    let film = Change { fps: Some(24.0), root_motion: RootMotion::InPlace, ..Change::default() };
    let film = convert::apply(&film, walk, go_on)?;
    push_bvh(files, "walk-mirrored.bvh", &mirror);
    push_bvh(files, "walk-24-in-place.bvh", &film);
    Ok(Example {
        title: "Convert",
        text: "Rate, size, axes, mirror, speed, range, root motion. What you do not ask to change is written back \
               as it was."
            .to_owned(),
        commands: vec![
            "ugoki convert walk.bvh walk-mirrored.bvh --mirror".to_owned(),
            "ugoki convert walk.bvh walk-24-in-place.bvh --fps 24 --root-motion in-place".to_owned(),
        ],
        files: vec!["walk-mirrored.bvh".to_owned(), "walk-24-in-place.bvh".to_owned()],
        output: String::new(),
    })
}

fn planting(files: &mut Vec<File>, walk: &Clip, host: &mut dyn Host) -> Result<Example, Error> {
    // Skate as retargeting leaves it: the body travels 8 % too far for its steps, over a floor that rises.
    let mut skating = walk.clone();
    for frame in 0..skating.num_frames() {
        let mut p = skating.root().get(frame);
        p.y += 0.02 * p.z;
        p.z *= 1.08;
        skating.root_mut().set(frame, p);
    }
    skating.name = "skating".to_owned();
    let verb =
        Plant { input: "skating.bvh".to_owned(), output: "planted.bvh".into(), reading: Reading::default() };
    let (planted, report) = made(&verb, &skating, host)?;
    push_bvh(files, "skating.bvh", &skating);
    push_bvh(files, "planted.bvh", &planted);
    Ok(Example {
        title: "Stop feet from skating",
        text: "A walk that travels 8 % too far for its steps over a sloping floor, before and after."
            .to_owned(),
        commands: vec!["ugoki plant skating.bvh planted.bvh".to_owned()],
        files: vec!["skating.bvh".to_owned(), "planted.bvh".to_owned()],
        output: report.to_string(),
    })
}

fn comparisons(walk: &Clip) -> Result<Example, Error> {
    let fast = named("walk-fast")?;
    let go_on = &mut |_| ControlFlow::Continue(());
    let different = compare(walk, &fast, None, go_on)?;
    let same = compare(walk, walk, None, go_on)?;
    Ok(Example {
        title: "Compare two motions",
        text: "How far the walk and the fast walk are apart; a motion against itself is exactly zero."
            .to_owned(),
        commands: vec![
            "ugoki compare walk.bvh walk-fast.bvh".to_owned(),
            "ugoki compare walk.bvh walk.bvh".to_owned(),
        ],
        files: Vec::new(),
        output: format!("{different}\n\n{same}"),
    })
}

fn filtering(files: &mut Vec<File>, walk: &Clip, host: &mut dyn Host) -> Result<Example, Error> {
    // Jitter of two degrees on every joint, as cheap capture has it, and one glitch of the left hand.
    let mut noisy = walk.clone();
    let mut random = Random::new(0);
    for joint in 0..noisy.num_joints() {
        for frame in 0..noisy.num_frames() {
            let jitter = Vec3::from_array(std::array::from_fn(|_| 0.02 * random.normal() as f32));
            noisy.set_rotation(joint, frame, noisy.rotation(joint, frame) * exp(jitter));
        }
    }
    if let Some(hand) = noisy.skeleton().find(Role::LeftHand) {
        noisy.set_rotation(hand, 100, noisy.rotation(hand, 100) * exp(Vec3::X));
    }
    noisy.align_signs();
    let FilterConfig { method, edge } = FilterConfig::default();
    let verb = Filter {
        input: "noisy.bvh".to_owned(),
        output: "clean.bvh".into(),
        kernel: Some(KernelShape::Gauss(2.5)),
        method,
        edge,
        despike: true,
        reading: Reading::default(),
    };
    let go_on = &mut |_| ControlFlow::Continue(());
    let (clean, report) = made(&verb, &noisy, host)?;
    push_bvh(files, "noisy.bvh", &noisy);
    push_bvh(files, "clean.bvh", &clean);
    let (before, after) = (compare(walk, &noisy, None, go_on)?, compare(walk, &clean, None, go_on)?);
    Ok(Example {
        title: "Remove jitter",
        text: format!(
            "The walk with two degrees of jitter and one glitch, before and after: mean distance from the true \
             motion {:.2}° and {:.2}°, jerk {:.0} and {:.0} m/s³ (the true motion: {:.0}).",
            before.angle_deg.mean, after.angle_deg.mean, before.jerk[1], after.jerk[1], before.jerk[0]
        ),
        commands: vec!["ugoki filter noisy.bvh clean.bvh --kernel gauss:2.5 --despike".to_owned()],
        files: vec!["noisy.bvh".to_owned(), "clean.bvh".to_owned()],
        output: report.to_string(),
    })
}

fn equalizing(files: &mut Vec<File>, walk: &Clip, host: &mut dyn Host) -> Result<Example, Error> {
    let verb = Equalize {
        input: "walk.bvh".to_owned(),
        output: "walk-lively.bvh".into(),
        gains: vec![1.0, 1.0, 1.0, 1.4, 1.4],
        part: Some(Part::Upper),
        reading: Reading::default(),
    };
    let (lively, report) = made(&verb, walk, host)?;
    push_bvh(files, "walk-lively.bvh", &lively);
    push_picture(files, "walk-lively.png", &lively, 8, (1200, 0), View::ThreeQuarter)?;
    Ok(Example {
        title: "Equalise",
        text: "Gains on frequency bands change the style: here the upper body swings more.".to_owned(),
        commands: vec![
            "ugoki equalize walk.bvh walk-lively.bvh --gains 1,1,1,1.4,1.4 --part upper".to_owned(),
        ],
        files: vec!["walk-lively.png".to_owned(), "walk-lively.bvh".to_owned()],
        output: report.to_string(),
    })
}

fn blending(files: &mut Vec<File>) -> Result<Example, Error> {
    let (up, back) = (named("reach-up")?, named("reach-back-down")?);
    let verb = Blend {
        inputs: vec!["reach-up.bvh".to_owned(), "reach-back-down.bvh".to_owned()],
        output: "reach-side.bvh".to_owned(),
        weights: None,
        align: TimeAlign::Time,
        strict: false,
        reading: Reading::default(),
    };
    let (mut side, report) = verb.blend(&[&up, &back], &mut |_| ControlFlow::Continue(()))?;
    side.name = "reach-side".to_owned();
    push_bvh(files, "reach-side.bvh", &side);
    push_picture(files, "reach-side.png", &side, 8, (1200, 0), View::ThreeQuarter)?;
    Ok(Example {
        title: "Blend",
        text: "Half a reach up and half a reach back and down is a reach to the side.".to_owned(),
        commands: vec!["ugoki blend reach-up.bvh reach-back-down.bvh -o reach-side.bvh".to_owned()],
        files: vec!["reach-side.png".to_owned(), "reach-side.bvh".to_owned()],
        output: report.to_string(),
    })
}

fn reacting(files: &mut Vec<File>, host: &mut dyn Host) -> Result<Example, Error> {
    let squat = named("squat")?;
    let mut verb = React {
        input: "squat.bvh".to_owned(),
        output: "squat-loaded.bvh".into(),
        loads: vec![Load { mass_kg: 8.0, role: Role::Chest, offset_m: None }],
        pushes: Vec::new(),
        throw: None,
        control: Control::On,
        body: None,
        mass_kg: None,
        human_strength: false,
        export_body: None,
        report: None,
        plot: None,
        reading: Reading::default(),
    };
    let (loaded, report) = made(&verb, &squat, host)?;
    verb.control = Control::Off;
    let (_, without) = made(&verb, &squat, host)?;
    let peak = |report: &react::Report| {
        let torques = report.frames.iter().filter_map(|frame| frame.torque.get("spine"));
        torques.copied().fold(0.0, f64::max)
    };
    let picture = Render {
        frames: Some(6),
        size: Some(Size { width: 1200, height: 0 }),
        view: View::Side,
        ..Render::default()
    };
    let text = serde_json::to_string(&report).unwrap_or_default();
    let forces = ForceReport::from_json(&text)?.forces(&loaded, Some(squat));
    let bytes =
        picture.draw("squat-loaded.png", &loaded, Some(forces), &mut |_| ControlFlow::Continue(()))?;
    files.push(File { name: "squat-loaded.png".to_owned(), bytes });
    files.push(File { name: "squat-loaded.svg".to_owned(), bytes: react::plot(&report).into_bytes() });
    push_bvh(files, "squat-loaded.bvh", &loaded);
    Ok(Example {
        title: "React to a load",
        text: format!(
            "The squat with 8 kg on the back: a body of limited strength follows it, relieves its joints and keeps \
             its balance. Peak torque of the back {:.0} N·m, without control {:.0} N·m.",
            peak(&report),
            peak(&without)
        ),
        commands: vec![
            "ugoki react squat.bvh squat-loaded.bvh --load 8@chest --report r.json --plot squat-loaded.svg"
                .to_owned(),
            "ugoki render squat-loaded.bvh squat-loaded.png --forces r.json --view side --frames 6"
                .to_owned(),
        ],
        files: ["squat-loaded.png", "squat-loaded.svg", "squat-loaded.bvh"].map(ToOwned::to_owned).to_vec(),
        output: report.to_string(),
    })
}

fn named(name: &'static str) -> Result<Clip, Error> {
    sample::clip(name).ok_or_else(|| Error::refused(format!("sample: there is no sample motion {name:?}")))
}

/// What a verb makes of a clip, and its report.
fn made<V: MotionVerb>(verb: &V, clip: &Clip, host: &mut dyn Host) -> Result<(Clip, V::Report), Error> {
    let (input, output, _) = verb.files();
    let read = Read::from_clip(clip.clone(), Marks::default());
    let Made { clip, report, .. } =
        verb.make([input, output], &read, host, &mut |_| ControlFlow::Continue(()))?;
    Ok((clip, report))
}

pub(super) fn push_bvh(files: &mut Vec<File>, name: &str, clip: &Clip) {
    files.push(File { name: name.to_owned(), bytes: write(clip, &WriteOptions::default()).bytes });
}

pub(super) fn push_picture(
    files: &mut Vec<File>,
    name: &str,
    clip: &Clip,
    frames: usize,
    (width, height): (u32, u32),
    view: View,
) -> Result<(), Error> {
    let verb = Render { frames: Some(frames), size: Some(Size { width, height }), view, ..Render::default() };
    let bytes = verb.draw(name, clip, None, &mut |_| ControlFlow::Continue(()))?;
    files.push(File { name: name.to_owned(), bytes });
    Ok(())
}
