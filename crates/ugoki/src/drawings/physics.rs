//! Plots of reactions, and forces to draw on motions.

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_physics::react::world::{Place, Shape};
use ugoki_physics::react::{NamedFrame, ReactionReport, ReactionTrace, TimedPush};
use ugoki_picture::{Curve, ForceFrame, Forces, Plot, PlotMark, stacked_plots_svg};

/// Size of one plot, pixels.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 260;
/// Joints whose strain is drawn: the most strained ones; more curves cannot be distinguished.
const JOINTS: usize = 5;

/// Error, margin, strain and corrections of a reaction as SVG, one plot above the other.
#[must_use]
pub fn reaction_svg(title: String, reaction: &ReactionReport, pushes: &[TimedPush]) -> String {
    let frames = &reaction.frames;
    let curve = |name: &str, value: &dyn Fn(&NamedFrame) -> f64| Curve {
        name: name.to_owned(),
        points: frames.iter().map(|frame| [frame.t, value(frame)]).collect(),
        dashed: false,
    };
    let fps = match frames.as_slice() {
        [first, .., last] => (frames.len() - 1) as f64 / (last.t - first.t),
        _ => 1.0,
    };
    let pushes = pushes.iter().map(|push| (push.at.seconds(fps), format!("push {}", push.role)));
    let fall = reaction.fell_at_s.map(|x| (x, "falls".to_owned()));
    let marks: Vec<PlotMark> = pushes.chain(fall).map(|(x, label)| PlotMark { x, label }).collect();
    let strain =
        |role: &&str| curve(role, &|frame| 100.0 * frame.load.get(*role).copied().unwrap_or(f64::NAN));
    let strains = reaction.most_strained().iter().take(JOINTS).map(strain).collect();
    let plots = [
        ("off target (deg)", vec![curve("", &|frame| frame.tracking_error_deg)]),
        ("ZMP inside by (cm)", vec![curve("", &|frame| frame.margin_m.map_or(f64::NAN, |m| 100.0 * m))]),
        ("load, part of strength (%)", strains),
        (
            "corrections (rad/s²)",
            vec![
                curve("arms", &|frame| frame.corrections.arms),
                curve("back", &|frame| frame.corrections.back),
                curve("lower body", &|frame| frame.corrections.lower),
            ],
        ),
    ];
    let titles = [title].into_iter().chain(std::iter::repeat(String::new()));
    let plots = plots.into_iter().zip(titles).map(|((y_label, curves), title)| Plot {
        title,
        x_label: "time (s)".to_owned(),
        y_label: y_label.to_owned(),
        curves,
        marks: marks.clone(),
        width: WIDTH,
        height: HEIGHT,
    });
    stacked_plots_svg(&plots.collect::<Vec<_>>())
}

/// What to draw on `clip`, the motion that was reported on; `target` is drawn in grey, each on its own skeleton.
#[must_use]
pub fn reaction_forces(trace: &ReactionTrace, clip: &Clip, target: Option<Clip>) -> Forces {
    let mut frames = vec![ForceFrame::default(); clip.num_frames()];
    for reported in &trace.frames {
        // Times count from the file's first row, also when an added T-pose was dropped.
        let row = (reported.t * clip.fps()).round() as usize;
        let Some(index) = row.checked_sub(clip.first_row()).filter(|index| *index < frames.len()) else {
            continue;
        };
        let place = |[x, z]: &[f64; 2]| [*x as f32, *z as f32];
        let frame = &mut frames[index];
        frame.zmp = reported.zmp.as_ref().map(place);
        frame.polygon = reported.polygon.iter().map(place).collect();
        frame.height = trace.floor_m as f32;
        frame.add_arrows(clip, index, &reported.correction_axes);
        for (body, at) in trace.bodies.iter().zip(&reported.bodies) {
            let Some(Place { position_m, rotation }) = at else { continue };
            let centre = DVec3::from_array(*position_m);
            match body.shape {
                Shape::Ball => {
                    frame.balls.push((centre.as_vec3(), body.radius_m.unwrap_or_default() as f32));
                }
                Shape::Box => {
                    let size = DVec3::from_array(body.size_m.unwrap_or_default());
                    frame.add_box(centre, size, DQuat::from_array(*rotation));
                }
            }
        }
    }
    Forces { target, frames }
}
