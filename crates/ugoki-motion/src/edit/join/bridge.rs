//! Captured steps, starts and stops from a database, inserted where two clips do not meet within the limit of the hips.
//!
//! ```text
//! seam over the limit ─body features→ parts of database clips that begin as A ends and end as B begins ─join each→ the one that shows least
//! ```

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::find_feet;

use super::body_features::feature_roles;
use super::piece::{Piece, Prepared, SECOND_COST, momentum_cost};
use super::search::{BETTER, Search};
use super::{BodyFeatures, Footholds, SpliceConfig, SpliceError, Spliced};
use crate::retarget::{RetargetConfig, retarget_onto};

/// Shortest and longest part that is inserted, seconds: a quick step, and two steps of a slow walk.
const INSERTED_S: [f64; 2] = [0.2, 1.5];
/// Rate at which database clips are compared at most, frames per second: half the time in which a foot comes to rest.
const COMPARED_HZ: f64 = 15.0;
/// Parts, of one clip each, that are joined to see which shows least.
const TRIED: usize = 8;
/// Motion on both sides of a part that goes with it onto the other skeleton, seconds: enough to find contacts.
const MARGIN_S: f64 = 1.0;

/// A part of a database clip.
struct Bridge {
    clip: usize,
    frames: Range<usize>,
    cost: f64,
}

/// The clips joined again with parts of the database's clips at seams over the limit, if that shows less than `plain`.
pub(super) fn bridged(
    plain: Spliced,
    search: &Search<'_>,
    database: &[Clip],
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    let (prepared, config) = (search.prepared, search.config);
    let over: Vec<usize> = (0..plain.seams.len()).filter(|&seam| plain.is_over(seam)).collect();
    if over.is_empty() || config.trim_s == 0.0 || database.is_empty() {
        return Ok(plain);
    }
    let first = &prepared.pieces[0].clip;
    let features = Features::new(first, database, &mut |part| progress(0.2 * part))?;
    let mut pieces = prepared.pieces.clone();
    // From the last on, so that the numbers of earlier seams stay.
    for (done, &seam) in over.iter().rev().enumerate() {
        let (a, b) = (&prepared.pieces[seam], &prepared.pieces[seam + 1]);
        let mut best: Option<(f64, Piece)> = None;
        for (index, bridge) in features.bridges(a, b, config.trim_s).iter().take(TRIED).enumerate() {
            let part = 0.2 + 0.4 * (done as f32 + index as f32 / TRIED as f32) / over.len() as f32;
            report(progress, part)?;
            let Some(piece) = inserted(first, &database[bridge.clip], &bridge.frames, config) else {
                continue;
            };
            let three = Prepared { pieces: vec![a.clone(), piece.clone(), b.clone()], ..*prepared };
            let excess = search.over(&three).best(false, &mut |_| progress(part))?.excess_sum();
            if best.as_ref().is_none_or(|best| excess < best.0) {
                best = Some((excess, piece));
            }
        }
        if let Some((excess, piece)) = best
            && excess < BETTER * plain.excess_at(seam)
        {
            pieces.insert(seam + 1, piece);
        }
    }
    if pieces.len() == prepared.pieces.len() {
        return Ok(plain);
    }
    let longer = Prepared { pieces, ..*prepared };
    let bridged = search.over(&longer).best(true, &mut |part| progress(0.6 + 0.4 * part))?;
    Ok(if bridged.excess_sum() < plain.excess_sum() { bridged } else { plain })
}

/// A part of a database clip on the skeleton and at the rate of the first clip; `None` where it cannot be moved there.
fn inserted(first: &Clip, clip: &Clip, frames: &Range<usize>, config: &SpliceConfig) -> Option<Piece> {
    let margin = (MARGIN_S * clip.fps()).round() as usize;
    let motion = clip.motion_frames();
    let around = frames.start.saturating_sub(margin).max(motion.start)..(frames.end + margin).min(motion.end);
    let mut part = clip.trimmed(around.clone()).ok()?;
    part.tpose_frame = false;
    if **clip.skeleton() != **first.skeleton() {
        part = retarget_onto(&part, first, &RetargetConfig::default(), &mut ugoki_base::no_progress())
            .ok()?
            .clip;
    }
    let mut piece = Piece::new(&part, first.fps(), None, config.feet).ok()?;
    let at = |frame: usize| ((frame - around.start) as f64 * first.fps() / clip.fps()).round() as usize;
    let used = at(frames.start)..at(frames.end).min(piece.clip.num_frames());
    (used.len() > 2).then(|| {
        piece.clip.name.clone_from(&clip.name);
        piece.inserted = Some((around.start - motion.start) as f64 / clip.fps());
        piece.used = used;
        piece
    })
}

/// Body features of a database's clips, at the size of a leg of 0.85 m.
struct Features {
    clips: Vec<Option<BodyFeatures>>,
    fps: Vec<f64>,
    scale: f64,
}

impl Features {
    /// Of clips whose skeletons have the same parts of the body as that of `like`; others are left out.
    fn new(like: &Clip, database: &[Clip], progress: Progress<'_>) -> Result<Self, SpliceError> {
        let roles = feature_roles(like.skeleton());
        let mut clips = Vec::with_capacity(database.len());
        for (index, clip) in database.iter().enumerate() {
            report(progress, index as f32 / database.len() as f32)?;
            let fits = clip.num_frames() > 2 && feature_roles(clip.skeleton()) == roles;
            let scale = find_feet(clip.skeleton()).map_or(1.0, |feet| feet.scale());
            // Clips of a database stand on y = 0.
            let stands = Footholds::of(clip, None);
            clips.push(
                fits.then(|| BodyFeatures::of(clip, &stands, clip.motion_frames()).scaled(1.0 / scale)),
            );
        }
        let scale = find_feet(like.skeleton()).map_or(1.0, |feet| feet.scale());
        Ok(Self { clips, fps: database.iter().map(Clip::fps).collect(), scale })
    }

    /// The part of every clip that leads best from the end of `a` to the start of `b`, best first.
    fn bridges(&self, a: &Piece, b: &Piece, trim_s: f64) -> Vec<Bridge> {
        let size = 1.0 / self.scale;
        let (end, start) = (a.end(trim_s).0.scaled(size), b.start(trim_s).0.scaled(size));
        let mut all: Vec<Bridge> = Vec::new();
        for (clip, features) in self.clips.iter().enumerate() {
            let Some(features) = features else { continue };
            let step = ((self.fps[clip] / COMPARED_HZ).round() as usize).max(1);
            let frames: Vec<usize> = features.frames().step_by(step).collect();
            let nearest = |cost: &dyn Fn(usize) -> f64, others: &BodyFeatures| {
                others.frames().step_by(step).map(cost).fold(f64::INFINITY, f64::min)
            };
            let enter: Vec<f64> =
                frames.iter().map(|&f| nearest(&|i| momentum_cost(&end, i, features, f), &end)).collect();
            let leave: Vec<f64> =
                frames.iter().map(|&f| nearest(&|j| momentum_cost(features, f, &start, j), &start)).collect();
            let [least, most] = INSERTED_S.map(|seconds| (seconds * self.fps[clip] / step as f64) as usize);
            let mut best: Option<Bridge> = None;
            for from in 0..frames.len() {
                for to in from + least.max(1)..(from + most + 1).min(frames.len()) {
                    let seconds = (frames[to] - frames[from]) as f64 / self.fps[clip];
                    let cost = enter[from] + leave[to] + SECOND_COST * seconds;
                    if best.as_ref().is_none_or(|best| cost < best.cost) {
                        best = Some(Bridge { clip, frames: frames[from]..frames[to], cost });
                    }
                }
            }
            all.extend(best);
        }
        all.sort_by(|x, y| x.cost.total_cmp(&y.cost));
        all
    }
}
