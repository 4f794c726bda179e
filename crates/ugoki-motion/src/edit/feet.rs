//! The path of one foot, held still while it stands and bent in between.
//!
//! Contacts cut the path into stances and swings. In a stance the pins are exact: while the heel's label is set the ankle stays,
//! while the toe's is set the toe stays, and the foot turns as captured about whichever holds. A stance may be placed
//! elsewhere on the ground; the way there is spread over the swing before it in proportion to speed (δ).

use std::ops::Range;

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::ground::GroundFrame;
use ugoki_base::math::{align_sign, exp64, log64, smoothstep};

use super::Coefficients;

/// World place of an ankle and its foot in every frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FootTrack {
    /// Position of the ankle joint, metres.
    pub ankle: Vec<Vec3>,
    /// Rotation of the ankle joint.
    pub rotation: Vec<Quat>,
    /// The toe's place in the ankle joint's frame, metres.
    pub toe: Vec3,
}

/// What holds the foot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    Heel,
    Toe,
    Both,
}

impl FootTrack {
    fn toe_at(&self, frame: usize) -> Vec3 {
        self.ankle[frame] + self.rotation[frame] * self.toe
    }

    /// The frames in which heel or toe stands, one range per stance, within the track.
    #[must_use]
    pub fn stances(&self, contacts: &FootContacts) -> Vec<Range<usize>> {
        let within = |range: Range<usize>| range.start..range.end.min(self.ankle.len());
        contacts.any().into_iter().map(within).filter(|range| !range.is_empty()).collect()
    }

    /// This track with every stance held and put to its placement, swings bent between them. Placements are one per
    /// stance of [`Self::stances`]; frames before the first and after the last move along with it.
    ///
    /// A stance takes its foot's velocity away at both of its edges; the swings take it up again within `fade` frames.
    /// Spread over the whole swing, as ε would, that lowers a foot that lands fast by decimetres (CMU 104_06: 20 cm).
    ///
    /// # Panics
    /// If the number of placements is not that of the stances.
    #[must_use]
    pub fn held(&self, contacts: &FootContacts, placements: &[GroundFrame], fade: usize) -> Self {
        self.held_with(contacts, placements, fade, fade)
    }

    /// The same, but frames before the first stance and after the last begin and end as captured, however few they are: what a walk is made
    /// of starts and stops where its source does.
    pub(crate) fn held_between(
        &self,
        contacts: &FootContacts,
        placements: &[GroundFrame],
        fade: usize,
    ) -> Self {
        self.held_with(contacts, placements, fade, 0)
    }

    /// `along`: within so many frames of a stance the track's ends move along with it.
    fn held_with(
        &self,
        contacts: &FootContacts,
        placements: &[GroundFrame],
        fade: usize,
        along: usize,
    ) -> Self {
        let stances = self.stances(contacts);
        assert_eq!(stances.len(), placements.len(), "one placement per stance");
        let mut out = self.clone();
        for (stance, placement) in stances.iter().zip(placements) {
            hold(self, contacts, stance.clone(), fade, &mut out);
            for frame in stance.clone() {
                out.ankle[frame] = placement.point(out.ankle[frame]);
                out.rotation[frame] = placement.rotation(out.rotation[frame]);
            }
        }
        let (Some(first), Some(last)) = (stances.first(), stances.last()) else { return out };
        let frames = self.ankle.len();
        swing(self, &placements[0], None, Some(first), 0..first.start, [fade, along], &mut out);
        for (pair, placement) in stances.windows(2).zip(placements) {
            let between = pair[0].end..pair[1].start;
            swing(self, placement, Some(&pair[0]), Some(&pair[1]), between, [fade, along], &mut out);
        }
        let end = placements.last().expect("as many as stances");
        swing(self, end, Some(last), None, last.end..frames, [fade, along], &mut out);
        for frame in 1..frames {
            out.rotation[frame] = align_sign(out.rotation[frame], out.rotation[frame - 1]);
        }
        out
    }
}

/// Runs of one kind of hold within a stance.
fn runs(contacts: &FootContacts, stance: Range<usize>) -> Vec<(Hold, Range<usize>)> {
    let stands = |list: &[Range<usize>], frame: usize| list.iter().any(|range| range.contains(&frame));
    let mut runs: Vec<(Hold, Range<usize>)> = Vec::new();
    for frame in stance {
        let hold = match (stands(&contacts.heel, frame), stands(&contacts.toe, frame)) {
            (true, true) => Hold::Both,
            (true, false) => Hold::Heel,
            _ => Hold::Toe,
        };
        match runs.last_mut() {
            Some((last, range)) if *last == hold => range.end = frame + 1,
            _ => runs.push((hold, frame..frame + 1)),
        }
    }
    runs
}

/// Writes the held frames of one stance. The longest flat run, or else the longest run, gives the place; the others
/// go on from its edges, keeping what holds.
fn hold(source: &FootTrack, contacts: &FootContacts, stance: Range<usize>, fade: usize, out: &mut FootTrack) {
    let runs = runs(contacts, stance);
    let Some(main) = (0..runs.len()).max_by_key(|&at| (runs[at].0 == Hold::Both, runs[at].1.len())) else {
        return;
    };
    let (kind, frames) = runs[main].clone();
    let mean = |point: &dyn Fn(usize) -> Vec3| {
        frames.clone().map(|frame| point(frame).as_dvec3()).sum::<DVec3>() / frames.len() as f64
    };
    match kind {
        Hold::Both => {
            let rotation = mean_rotation(&source.rotation[frames.clone()]);
            // The middle of the foot holds its mean place, so that heel and toe share the error.
            let middle = mean(&|frame| 0.5 * (source.ankle[frame] + source.toe_at(frame))).as_vec3();
            let ankle = middle - rotation * source.toe * 0.5;
            for frame in frames.clone() {
                (out.ankle[frame], out.rotation[frame]) = (ankle, rotation);
            }
        }
        Hold::Heel => {
            let ankle = mean(&|frame| source.ankle[frame]).as_vec3();
            frames.clone().for_each(|frame| out.ankle[frame] = ankle);
        }
        Hold::Toe => {
            let toe = mean(&|frame| source.toe_at(frame)).as_vec3();
            frames.clone().for_each(|frame| out.ankle[frame] = toe - source.rotation[frame] * source.toe);
        }
    }
    for (kind, frames) in &runs[main + 1..] {
        go_on(source, *kind, frames.clone(), frames.start - 1, fade, out);
    }
    for (kind, frames) in runs[..main].iter().rev() {
        go_on(source, *kind, frames.clone().rev(), frames.end, fade, out);
    }
}

/// Holds the frames of a run after `from`, whose foot stands already: what holds keeps its place, the foot turns as
/// captured but for the turn by which it was off at `from`, which fades out: a foot that rolls off a degree late would keep its ankle
/// low until it lifts, and its knee straight.
fn go_on(
    source: &FootTrack,
    kind: Hold,
    frames: impl Iterator<Item = usize>,
    from: usize,
    fade: usize,
    out: &mut FootTrack,
) {
    let off = log64(unit(out.rotation[from]) * unit(source.rotation[from]).inverse());
    let (ankle, toe) = (out.ankle[from], out.toe_at(from));
    for frame in frames {
        let left = 1.0 - smoothstep(frame.abs_diff(from) as f64 / fade.max(1) as f64);
        let turned = (exp64(off * left) * unit(source.rotation[frame])).as_quat().normalize();
        (out.ankle[frame], out.rotation[frame]) = match kind {
            Hold::Both => (ankle, out.rotation[from]),
            Hold::Heel => (ankle, turned),
            Hold::Toe => (toe - turned * source.toe, turned),
        };
    }
}

/// Fills the frames of a swing from the source moved by `placement`, bent to the stances on either side.
fn swing(
    source: &FootTrack,
    placement: &GroundFrame,
    from: Option<&Range<usize>>,
    to: Option<&Range<usize>>,
    frames: Range<usize>,
    [fade, along]: [usize; 2],
    out: &mut FootTrack,
) {
    // The ends are the last frame of the stance before and the first of the one after, or those of the track.
    let start = from.map_or(frames.start, |stance| stance.end - 1);
    let end = to.map_or(frames.end.saturating_sub(1), |stance| stance.start);
    if frames.is_empty() {
        return;
    }
    let moved =
        |frame: usize| (placement.point(source.ankle[frame]), placement.rotation(source.rotation[frame]));
    let place = |frame: usize| (out.ankle[frame], out.rotation[frame]);
    let off = |frame: usize| {
        let ((p, q), (x, r)) = (moved(frame), place(frame));
        [(x - p).as_dvec3(), log64(unit(q).inverse() * unit(r))]
    };
    // A frame beyond the stance's edge, inside it where it is long enough, tells the velocity.
    let n = end - start;
    // At an end of the track there is no stance to bend to: the foot is where it was captured, or, within the fade, moves along with the stance, or it
    // would jump there.
    let along = if along == 0 { 0.0 } else { 1.0 - smoothstep(n as f64 / along as f64) };
    let first = match (from, to) {
        (Some(_), _) => off(start),
        (None, Some(_)) => off(end).map(|v| along * v),
        (None, None) => [DVec3::ZERO; 2],
    };
    let before = from.filter(|stance| stance.len() > 1).map_or(first, |_| off(start - 1));
    let last = match to {
        Some(_) => off(end),
        None => first.map(|v| along * v),
    };
    let after = to.filter(|stance| stance.len() > 1).map_or(last, |_| off(end + 1));
    let speeds = |step: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (start..=end).map(|frame| step(frame, (frame + 1).min(source.ankle.len() - 1))).collect()
    };
    let glide = speeds(&|a, b| (source.ankle[b] - source.ankle[a]).as_dvec3().length());
    let turn = speeds(&|a, b| log64(unit(source.rotation[a]).inverse() * unit(source.rotation[b])).length());
    let spans = [glide, turn].map(|speeds| Coefficients::build(&speeds).ok());
    let width = fade.min(n).max(1) as f64;
    for frame in frames {
        let (i, ahead) = (frame - start, end - frame);
        let by = [0, 1].map(|what| {
            // Too few samples to spread by speed: a straight share.
            let share = |i: usize| {
                spans[what].as_ref().map_or(i as f64 / n.max(1) as f64, |coefficients| coefficients.delta(i))
            };
            let spread = last[what] - first[what];
            let leaves = first[what] - before[what] - share(1.min(n)) * spread;
            let arrives = after[what] - last[what] - (1.0 - share(n.saturating_sub(1))) * spread;
            // Sooner in height: a foot that waits to rise comes too low over the ground.
            let near = |away: usize| {
                let [over, up] = [width, 0.5 * width].map(|width| width * bump(away as f64 / width));
                if what == 0 { DVec3::new(over, up, over) } else { DVec3::splat(over) }
            };
            first[what] + share(i) * spread + near(i) * leaves - near(ahead) * arrives
        });
        let (p, q) = moved(frame);
        out.ankle[frame] = p + by[0].as_vec3();
        out.rotation[frame] = (unit(q) * exp64(by[1])).as_quat().normalize();
    }
}

/// Leaves 0 with slope 1 and is gone, with its slope, from 1 on.
fn bump(u: f64) -> f64 {
    if u < 1.0 { u * (1.0 - u) * (1.0 - u) } else { 0.0 }
}

fn unit(q: Quat) -> DQuat {
    q.as_dquat().normalize()
}

fn mean_rotation(rotations: &[Quat]) -> Quat {
    let sum = rotations
        .iter()
        .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &q| sum + align_sign(q, rotations[0]).as_dquat());
    sum.normalize().as_quat()
}
