//! Beside its holds a foot that is still down moves as the motion it was made from does.
//!
//! A hold ends where the guide's point no longer truly stands, often long before it lifts. Letting its correction fade there
//! would slide a foot that the guide keeps on the ground; so the point first goes along with the guide's, and the
//! correction fades only once that has left the ground.

use std::ops::Range;

use glam::DVec3;

use super::target::{Target, median_height};

/// A point that rises by more than this over where it stood has left the ground, metres for a leg of 0.85 m: chosen under
/// the lift of a step and over twice the wobble of a foot that stands.
pub(super) const LEAVES_M: f64 = 0.02;
/// Time in which a point that stood still takes up the guide's speed, seconds: short against a stance, long enough that
/// 0.3 m/s come with 6 m/s², less than a swinging foot has.
const EASE_S: f64 = 0.05;
/// A point that would have to go farther than this from where the clip has it is not taken along, metres for a leg of
/// 0.85 m: as far as planting moves a foot for a contact.
const FARTHEST_M: f64 = 0.06;

/// Where a point goes over the ground in the frames beside its holds, with the number of the hold, `None` where it is
/// held or free; heights are those of the holds and mean nothing here.
///
/// `path` is the point in the clip and `guide` in the motion that it was made from, which begins at frame `start`. Between two holds with the guide's
/// point down all the time, the way from the first passes over into the way to the second.
pub(super) fn beside(
    holds: &[Target],
    path: &[DVec3],
    guide: &[DVec3],
    start: usize,
    fps: f64,
    scale: f64,
) -> Vec<Option<(usize, DVec3)>> {
    let mut out = vec![None; path.len()];
    let mut last_end = start;
    for (number, hold) in holds.iter().enumerate() {
        let next = holds.get(number + 1).map_or(path.len(), |next| next.frames.start);
        let along = |frames: &mut dyn Iterator<Item = usize>, edge: usize| {
            way(hold, path, guide, (frames, edge), fps, scale)
        };
        let before = along(&mut (last_end..hold.frames.start.max(last_end)).rev(), hold.frames.start);
        let first = hold.frames.start - before.len();
        // Frames through which the hold before has led the point as well.
        let shared = (first..hold.frames.start).filter(|&frame| out[frame].is_some()).count();
        for (i, point) in before.iter().enumerate() {
            let frame = hold.frames.start - 1 - i;
            out[frame] = match out[frame] {
                Some((other, there)) => {
                    let share = smooth((frame - first + 1) as f64 / (shared + 1) as f64);
                    Some((if share < 0.5 { other } else { number }, DVec3::lerp(there, *point, share)))
                }
                None => Some((number, *point)),
            };
        }
        let after = along(&mut (hold.frames.end..next), hold.frames.end.saturating_sub(1));
        for (i, point) in after.into_iter().enumerate() {
            out[hold.frames.end + i] = Some((number, point));
        }
        last_end = hold.frames.end;
    }
    out
}

/// The way of a point from the edge of its hold through neighbouring frames, as long as the guide's is down.
fn way(
    hold: &Target,
    path: &[DVec3],
    guide: &[DVec3],
    (frames, edge): (&mut dyn Iterator<Item = usize>, usize),
    fps: f64,
    scale: f64,
) -> Vec<DVec3> {
    let height = median_height(guide, &hold.frames);
    let (mut at, mut from, mut points) = (hold.point, edge, Vec::new());
    for frame in frames {
        if guide[frame].y - height > LEAVES_M * scale {
            break;
        }
        let speed = smooth((points.len() + 1) as f64 / (EASE_S * fps).max(1.0));
        at += (guide[frame] - guide[from]).with_y(0.0) * speed;
        from = frame;
        if (at - path[frame]).with_y(0.0).length() > FARTHEST_M * scale {
            break;
        }
        points.push(at);
    }
    points
}

/// From 0 to 1 without a jump in speed; 1 beyond.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Whether a point stays down between two parts of its path in which it stands.
pub fn stays_down(points: &[DVec3], a: &Range<usize>, b: &Range<usize>, scale: f64) -> bool {
    let floor = median_height(points, a).max(median_height(points, b));
    let gap = a.end.min(points.len())..b.start.clamp(a.end, points.len());
    points[gap].iter().all(|p| p.y - floor <= LEAVES_M * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FPS: f64 = 120.0;

    fn hold(frames: Range<usize>, point: DVec3) -> Target {
        Target { frames, point }
    }

    proptest! {
        /// Whatever the guide does on the ground, a point beside its hold moves no faster than the guide's until that lifts.
        #[test]
        fn a_point_goes_along_while_the_guide_is_down(
            steps in prop::collection::vec((-0.002..0.002_f64, -0.001..0.001_f64), 60),
            place in (-0.02..0.02_f64, 0.0..0.02_f64),
        ) {
            let mut guide = vec![DVec3::ZERO; 30];
            for (x, y) in steps {
                guide.push(*guide.last().unwrap() + DVec3::new(x, y, 0.5 * x));
            }
            let (point, path) = (DVec3::new(place.0, place.1, 0.0), guide.clone());
            let found = beside(&[hold(5..30, point)], &path, &guide, 0, FPS, 1.0);
            let lifts = (30..90).find(|&f| guide[f].y > LEAVES_M).unwrap_or(90);
            let mut last = point;
            for frame in 30..90 {
                let Some((0, at)) = found[frame] else {
                    prop_assert!(frame >= lifts, "let go at {} before it lifts at {}", frame, lifts);
                    break;
                };
                prop_assert!(frame < lifts);
                prop_assert!((at - last).with_y(0.0).length() <= (guide[frame] - guide[frame - 1]).length() + 1e-12);
                last = at;
            }
            prop_assert!(found[..5].iter().all(Option::is_some), "at rest before the hold, too");
        }

        /// Between two holds the point comes from the one and arrives at the other.
        #[test]
        fn between_two_holds_it_passes_from_one_to_the_other(gap in 4usize..80, apart in -0.02..0.02_f64) {
            let ends = 20 + gap;
            let guide: Vec<DVec3> = (0..ends + 20).map(|f| {
                let t = ((f as f64 - 19.0) / (gap + 1) as f64).clamp(0.0, 1.0);
                DVec3::X * 0.03 * t
            }).collect();
            let holds = [hold(0..20, DVec3::ZERO), hold(ends..ends + 20, DVec3::X * (0.03 + apart))];
            let found = beside(&holds, &guide, &guide, 0, FPS, 1.0);
            let mut last = DVec3::ZERO;
            for (frame, there) in found.iter().enumerate().take(ends).skip(20) {
                let (number, at) = there.unwrap();
                prop_assert!(number < 2);
                // The guide's own step, and what is to be made up for by the end of the gap.
                let most = 0.03 / (gap + 1) as f64 + 4.0 * (apart.abs() + 0.03) / (gap + 1) as f64;
                prop_assert!((at - last).length() <= most, "frame {}: {} m", frame, (at - last).length());
                last = at;
            }
        }
    }

    #[test]
    fn a_point_that_lifts_or_would_be_dragged_is_let_go() {
        let mut guide = vec![DVec3::ZERO; 40];
        for (i, p) in guide[20..].iter_mut().enumerate() {
            p.y = 0.005 * (i + 1) as f64;
        }
        let found = beside(&[hold(0..20, DVec3::ZERO)], &guide, &guide, 0, FPS, 1.0);
        assert_eq!(found.iter().flatten().count(), 4, "2 cm at 5 mm a frame");
        let far: Vec<DVec3> = (0..40).map(|f| DVec3::X * if f < 20 { 0.0 } else { 0.1 }).collect();
        let found = beside(&[hold(0..20, DVec3::ZERO)], &far, &[DVec3::ZERO; 40], 0, FPS, 1.0);
        assert!(found.iter().all(Option::is_none));
    }
}
