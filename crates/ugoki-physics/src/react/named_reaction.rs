//! A reaction with its links by name: what reports, tables and plots show.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::report::{Corrections, FitReport, FootForce, Impossible, Outcome, Reaction};
use super::target::Target;
use super::world::{Place, Thing, WorldRecord};

/// What came of a reaction. `Display` is a summary in a few lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReactionReport {
    /// How it ends.
    pub outcome: Outcome,
    /// Whether the body is back on the target in the world at the end.
    pub recovered: bool,
    /// When balance was lost for good, seconds from the first row.
    pub fell_at_s: Option<f64>,
    /// Mass of the body without loads, kg.
    pub mass_kg: f64,
    /// Force that no ground gives, root mean square over the frames, N.
    pub residual_rms_n: f64,
    /// The largest, N.
    pub residual_peak_n: f64,
    /// Weight of the body with its loads, N.
    pub weight_n: f64,
    /// Frames in which the target lacks the ground to stand on.
    pub flagged_frames: usize,
    /// Frames that no body could do.
    pub impossible_frames: usize,
    /// How well the body's joints could take the target's pose.
    pub fit: FitReport,
    /// Height of the ground at the origin, m.
    pub floor_m: f64,
    /// The bodies of the scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Thing>,
    /// Meetings with bodies of the scene, step by step.
    pub hits: Vec<NamedHit>,
    /// One per frame of motion.
    pub frames: Vec<NamedFrame>,
}

/// A body of the scene meets a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedHit {
    /// Seconds from the first row.
    pub t: f64,
    /// Which body of the scene.
    pub body: usize,
    /// Role of the link's joint.
    pub link: String,
    /// Where, world, m.
    pub at_m: [f64; 3],
    /// Impulse on the character, world axes, N·s; the body got its opposite.
    pub impulse_n_s: [f64; 3],
}

/// One frame's numbers: forces and torques are those that brought the body here.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct NamedFrame {
    /// Seconds from the first row.
    pub t: f64,
    /// Root mean square over the joints of the angle to the target, degrees.
    pub tracking_error_deg: f64,
    /// Distance of the pelvis from where the target has it, seen from the planted feet, m.
    pub root_error_m: f64,
    /// Distance of the pelvis from where the target has it in the world, m.
    pub world_offset_m: f64,
    /// Zero-moment point, (x, z) in m; null in flight.
    pub zmp: Option<[f64; 2]>,
    /// Distance of the ZMP from the border of the support polygon, positive inside, m.
    pub margin_m: Option<f64>,
    /// Corners of the support polygon, (x, z) in m.
    pub polygon: Vec<[f64; 2]>,
    /// Torque of each joint's muscles by role, N·m.
    pub torque: BTreeMap<String, f64>,
    /// Torque with which the joint passively resists fast motion and the end of its range (tendons, ligaments, bones),
    /// N·m; joints without are left out.
    pub passive_torque: BTreeMap<String, f64>,
    /// Ratio of its strength that each joint's muscles give.
    pub load: BTreeMap<String, f64>,
    /// The same for the target alone, undisturbed.
    pub target_load: BTreeMap<String, f64>,
    /// Joints whose muscles were asked for more than they have; it was cut.
    pub clamped: Vec<String>,
    /// What the controller added in each part, rad/s².
    pub corrections: Corrections,
    /// What it added at each joint, world axes, rad/s²; joints without are left out.
    pub correction_axes: BTreeMap<String, [f64; 3]>,
    /// Forces on the left and the right foot.
    pub feet: [FootForce; 2],
    /// Force of the ground on all other links, N.
    pub other_ground_force_n: [f64; 3],
    /// Force that the target itself needs and no ground could give, N.
    pub residual_force_n: [f64; 3],
    /// Its moment about the pelvis, N·m.
    pub residual_moment_n_m: [f64; 3],
    /// Whether the target lacks the ground to stand on here: the default control follows it without relief and
    /// balance.
    pub flagged: bool,
    /// Whether the body is falling.
    pub falling: bool,
    /// What no body could do here, judged from the written motion alone, as in [`Impossible`]; a joint that is too
    /// weak, by its role.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub impossible: Vec<String>,
    /// Where the bodies of the scene are; null before one appears.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Option<Place>>,
}

impl ReactionReport {
    /// The numbers of a reaction. `offset_s` is added to times, so that they count from the file's first row also when
    /// an added T-pose was dropped.
    #[must_use]
    pub fn new(reaction: &Reaction, target: &Target, offset_s: f64) -> Self {
        // Link 0 is the pelvis, whose joint to the world has no muscles.
        let by_role = |values: &[f64]| -> BTreeMap<String, f64> {
            reaction.links.iter().cloned().zip(values.iter().copied()).skip(1).collect()
        };
        let frame = |frame: &super::report::Frame| {
            let named = || reaction.links.iter().cloned();
            NamedFrame {
                t: frame.t + offset_s,
                tracking_error_deg: frame.tracking_error_deg,
                root_error_m: frame.root_error_m,
                world_offset_m: frame.world_offset_m,
                zmp: frame.zmp_m,
                margin_m: frame.margin_m,
                polygon: frame.polygon_m.clone(),
                torque: by_role(&frame.torque_n_m),
                passive_torque: named()
                    .zip(frame.passive_torque_n_m.iter().copied())
                    .filter(|(_, t)| *t > 0.0)
                    .collect(),
                clamped: named().zip(&frame.clamped).filter(|(_, cut)| **cut).map(|(role, _)| role).collect(),
                load: by_role(&frame.load),
                target_load: by_role(&frame.target_load),
                corrections: frame.corrections,
                correction_axes: (named().zip(frame.correction_axes.iter().copied()))
                    .filter(|(_, axis)| *axis != [0.0; 3])
                    .collect(),
                feet: frame.feet,
                other_ground_force_n: frame.other_ground_force_n,
                residual_force_n: frame.residual_force_n,
                residual_moment_n_m: frame.residual_moment_n_m,
                flagged: frame.flagged,
                falling: frame.falling,
                impossible: frame.impossible.iter().map(|what| word(what, &reaction.links)).collect(),
                bodies: Vec::new(),
            }
        };
        let squares = reaction.frames.iter().map(|frame| squared(&frame.residual_force_n));
        Self {
            outcome: reaction.outcome,
            recovered: reaction.outcome == Outcome::Recovered,
            fell_at_s: reaction.fell_at_s.map(|t| t + offset_s),
            mass_kg: target.body().mass(),
            residual_rms_n: (squares.clone().sum::<f64>() / reaction.frames.len().max(1) as f64).sqrt(),
            residual_peak_n: squares.fold(0.0, f64::max).sqrt(),
            weight_n: reaction.weight_n,
            flagged_frames: reaction.frames.iter().filter(|frame| frame.flagged).count(),
            impossible_frames: reaction.frames.iter().filter(|frame| !frame.impossible.is_empty()).count(),
            fit: reaction.fit.clone(),
            floor_m: target.floor().height,
            bodies: Vec::new(),
            hits: Vec::new(),
            frames: reaction.frames.iter().map(frame).collect(),
        }
    }

    /// The same with the bodies of a scene, which met the character as `record` has it.
    #[must_use]
    pub fn with_world(
        mut self,
        bodies: Vec<Thing>,
        record: WorldRecord,
        links: &[String],
        offset_s: f64,
    ) -> Self {
        self.bodies = bodies;
        self.hits = (record.hits.iter())
            .map(|hit| NamedHit {
                t: hit.t + offset_s,
                body: hit.body,
                link: links[hit.link].clone(),
                at_m: hit.at_m,
                impulse_n_s: hit.impulse_n_s,
            })
            .collect();
        for (frame, places) in self.frames.iter_mut().zip(record.places) {
            frame.bodies = places;
        }
        self
    }

    /// Joints by their largest ratio of strength, most strained first.
    #[must_use]
    pub fn most_strained(&self) -> Vec<&str> {
        self.strained(|frame| &frame.load).into_iter().map(|(role, ..)| role).collect()
    }

    /// Each joint with its largest ratio of strength and when, most strained first.
    fn strained(&self, of: impl Fn(&NamedFrame) -> &BTreeMap<String, f64>) -> Vec<(&str, f64, f64)> {
        let mut out: Vec<(&str, f64, f64)> = Vec::new();
        for role in self.frames.first().map(|frame| frame.load.keys()).into_iter().flatten() {
            let loads = self.frames.iter().filter_map(|frame| Some((*of(frame).get(role)?, frame.t)));
            if let Some((load, t)) = loads.max_by(|a, b| a.0.total_cmp(&b.0)) {
                out.push((role, load, t));
            }
        }
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    /// How many frames no body could do, and why.
    fn write_impossible(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bad = self.frames.iter().filter(|frame| !frame.impossible.is_empty());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in bad.clone().flat_map(|frame| &frame.impossible) {
            *counts.entry(word).or_default() += 1;
        }
        let count = bad.count();
        if count == 0 {
            return Ok(());
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let words = |&(word, count): &(&str, usize)| match word {
            "pull" => format!("the ground would pull in {count}"),
            "rub" => format!("the ground would rub too hard in {count}"),
            "beside" => format!("the ground would act outside the feet in {count}"),
            joint => format!("{joint} would be too weak in {count}"),
        };
        let list = counts.iter().take(4).map(words).collect::<Vec<_>>().join(", ");
        writeln!(f, "impossible   {count} of {} frames: {list}", self.frames.len())
    }

    /// The frame with the largest value.
    fn most(&self, value: impl Fn(&NamedFrame) -> f64) -> Option<(f64, f64)> {
        let worst = self.frames.iter().max_by(|a, b| value(a).total_cmp(&value(b)))?;
        Some((value(worst), worst.t))
    }
}

fn squared(force: &[f64; 3]) -> f64 {
    force.iter().map(|x| x * x).sum()
}

/// One word for what cannot be.
fn word(what: &Impossible, links: &[String]) -> String {
    match what {
        Impossible::Pull => "pull".to_owned(),
        Impossible::Rub => "rub".to_owned(),
        Impossible::OutsideFeet => "beside".to_owned(),
        Impossible::Weak(link) => links[*link].clone(),
    }
}

impl fmt::Display for ReactionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fell_at_s {
            Some(t) => writeln!(f, "balance      lost at {t:.2} s; the body falls from there on")?,
            None => match self.outcome {
                Outcome::Recovered => writeln!(f, "balance      kept; back on the target at the end")?,
                Outcome::Displaced => {
                    writeln!(f, "balance      kept; does what the target does at the end, in another place")?;
                }
                _ => writeln!(
                    f,
                    "balance      kept, but the body does not do what the target does at the end"
                )?,
            },
        }
        if let (Some((most, t)), Some(last)) = (self.most(|f| f.tracking_error_deg), self.frames.last()) {
            let end = last.tracking_error_deg;
            writeln!(
                f,
                "off target   up to {most:.1}° at {t:.2} s, {end:.1}° at the end (root mean square over the joints)"
            )?;
        }
        if let (Some((most, t)), Some(last)) = (self.most(|f| f.world_offset_m), self.frames.last()) {
            let end = last.world_offset_m;
            writeln!(
                f,
                "in the world pelvis up to {most:.2} m off the target at {t:.2} s, {end:.2} m at the end"
            )?;
        }
        let percent = |force: f64| 100.0 * force / self.weight_n.max(f64::MIN_POSITIVE);
        let (rms, peak) = (self.residual_rms_n, self.residual_peak_n);
        let frames = self.frames.len();
        writeln!(
            f,
            "no ground    gives {rms:.0} N rms, {peak:.0} N at most, of what the motion takes ({:.0} % and {:.0} % of the weight)",
            percent(rms),
            percent(peak)
        )?;
        if self.flagged_frames > 0 {
            writeln!(
                f,
                "flagged      {} of {frames} frames lack the ground to stand on",
                self.flagged_frames
            )?;
        }
        if let Some(first) = self.hits.first() {
            let sum: f64 =
                self.hits.iter().map(|hit| hit.impulse_n_s.iter().map(|x| x * x).sum::<f64>().sqrt()).sum();
            let (t, link, count) = (first.t, &first.link, self.hits.len());
            writeln!(f, "hits         first {link} at {t:.2} s; {sum:.1} N·s in {count} steps of contact")?;
        }
        let margins = self.frames.iter().filter_map(|frame| Some((frame.margin_m?, frame.t)));
        if let Some((least, t)) = margins.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let place = if least < 0.0 { "outside" } else { "inside" };
            let cm = 100.0 * least.abs();
            writeln!(f, "ZMP          at its worst {cm:.1} cm {place} the support polygon, at {t:.2} s")?;
        }
        let listed = |list: &[(&str, f64, f64)]| {
            let one =
                |(role, load, t): &(&str, f64, f64)| format!("{role} {:.0} % at {t:.2} s", 100.0 * load);
            list.iter().take(3).map(one).collect::<Vec<_>>().join(", ")
        };
        writeln!(f, "strained     {} of strength", listed(&self.strained(|frame| &frame.load)))?;
        let mut own = self.strained(|frame| &frame.target_load);
        own.retain(|(_, load, _)| *load > 1.0);
        if !own.is_empty() {
            writeln!(f, "too much     the motion itself takes {} of this body's strength", listed(&own))?;
        }
        self.write_impossible(f)?;
        let most =
            |part: fn(&Corrections) -> f64| self.most(|f| part(&f.corrections)).map_or(0.0, |(most, _)| most);
        let (arms, back, lower) = (most(|c| c.arms), most(|c| c.back), most(|c| c.lower));
        write!(f, "corrections  arms {arms:.0}, back {back:.0}, lower body {lower:.0} rad/s² at most")
    }
}
