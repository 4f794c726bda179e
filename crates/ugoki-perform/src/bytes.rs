//! Motions as bytes; the actor's clip is stored separately.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::bytes::{BytesError, Reader, Writer};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_motion::segment::Objective;

use super::model::{SAMPLES, num_moments};
use super::{Model, ModelPiece, Motion, Pattern, Regression, Strand};

const MAGIC: [u8; 4] = *b"UGPM";
/// 2 added strands; 3 has points on usual bones, with which older ones cannot be compared.
const VERSION: u16 = 3;

impl Model {
    /// Version of the bytes that [`Model::motion_bytes`] writes.
    pub const BYTES_VERSION: u16 = VERSION;

    /// One motion without its clip.
    ///
    /// # Panics
    /// If there is no such motion.
    #[must_use]
    pub fn motion_bytes(&self, motion: usize) -> Vec<u8> {
        let mut w = Writer::new(MAGIC, VERSION);
        w.count(self.roles.len());
        for role in &self.roles {
            w.text(role.name());
        }
        let motion = &self.motions[motion];
        w.count(motion.clip.num_frames());
        w.f64(motion.leg_metres);
        w.count(motion.pieces.len());
        for piece in &motion.pieces {
            w.text(&piece.name);
            w.count(piece.start);
            w.count(piece.end);
            w.text(piece.group.as_deref().unwrap_or_default());
            w.u8(u8::from(piece.objective == Objective::Path));
            piece.index.iter().for_each(|&y| w.f32(y));
            w.u8(u8::from(piece.regression.is_some()));
            if let Some(regression) = &piece.regression {
                w.count(regression.columns.len());
                for (&column, &coefficient) in regression.columns.iter().zip(&regression.coefficients) {
                    w.count(column);
                    w.f64(coefficient);
                }
                w.f64(regression.constant);
            }
            w.count(piece.patterns.len());
            for pattern in &piece.patterns {
                w.f64(pattern.seconds);
                pattern.points.iter().flat_map(Vec3::to_array).for_each(|v| w.f32(v));
            }
        }
        w.count(motion.strands.len());
        for strand in &motion.strands {
            for (moment, &seen) in strand.seen.iter().enumerate() {
                w.u8(u8::from(seen));
                let own = moment * self.roles.len()..(moment + 1) * self.roles.len();
                if seen {
                    let all = strand.points[own.clone()].iter().chain(&strand.rates[own]);
                    all.flat_map(Vec3::to_array).for_each(|v| w.f32(v));
                }
            }
        }
        w.finish()
    }

    /// The roles and the motion of these bytes, whose actor is `clip`.
    ///
    /// # Errors
    /// When the bytes are not a motion, or one of another clip.
    pub fn motion_from_bytes(bytes: &[u8], clip: Arc<Clip>) -> Result<(Vec<Role>, Motion), BytesError> {
        let (mut r, version) = Reader::new(bytes, MAGIC, VERSION)?;
        if version < VERSION {
            let what = String::from_utf8_lossy(&MAGIC).into_owned();
            return Err(BytesError::Old { what, found: version, oldest: VERSION });
        }
        let count = r.count(4)?;
        let mut roles = Vec::with_capacity(count);
        for _ in 0..count {
            let name = r.text()?;
            roles.push(Role::from_name(&name).ok_or_else(|| r.bad(format!("unknown role {name:?}")))?);
        }
        let frames = r.u32()? as usize;
        if frames != clip.num_frames() {
            let found = clip.num_frames();
            return Err(r.bad(format!("learned on a clip of {frames} frames, this one has {found}")));
        }
        let leg_metres = r.finite64()?;
        let count = r.count(8)?;
        let mut pieces = Vec::with_capacity(count);
        for _ in 0..count {
            pieces.push(piece(&mut r, frames, roles.len(), clip.motion_frames().start)?);
        }
        let mut strands = Vec::new();
        let moments = num_moments(&clip);
        for _ in 0..r.count(moments)? {
            strands.push(strand(&mut r, moments, roles.len())?);
        }
        r.finish()?;
        Ok((roles, Motion { clip, pieces, leg_metres, strands }))
    }
}

fn strand(r: &mut Reader<'_>, moments: usize, num_points: usize) -> Result<Strand, BytesError> {
    let mut strand = Strand { seen: Vec::new(), points: Vec::new(), rates: Vec::new() };
    for _ in 0..moments {
        let seen = r.bool()?;
        strand.seen.push(seen);
        let mut vector = || match seen {
            true => Ok(Vec3::new(r.finite32()?, r.finite32()?, r.finite32()?)),
            false => Ok(Vec3::ZERO),
        };
        for _ in 0..num_points {
            strand.points.push(vector()?);
        }
        for _ in 0..num_points {
            strand.rates.push(vector()?);
        }
    }
    Ok(strand)
}

fn piece(
    r: &mut Reader<'_>,
    frames: usize,
    num_points: usize,
    first: usize,
) -> Result<ModelPiece, BytesError> {
    let name = r.text()?;
    let (start, end) = (r.u32()? as usize, r.u32()? as usize);
    if !(first <= start && start < end && end <= frames) {
        return Err(r.bad(format!("frames {start}..{end} are not in a clip of {frames}")));
    }
    let group = Some(r.text()?).filter(|group| !group.is_empty());
    let objective = if r.bool()? { Objective::Path } else { Objective::Distance };
    r.fits(end - start, 4)?;
    let index = (start..end).map(|_| r.finite32()).collect::<Result<Vec<_>, _>>()?;
    let regression = match r.bool()? {
        false => None,
        true => {
            let count = r.count(12)?;
            let (mut columns, mut coefficients) = (Vec::new(), Vec::new());
            for _ in 0..count {
                let column = r.u32()? as usize;
                if column >= 3 * num_points {
                    return Err(r.bad(format!("column {column} of {num_points} points")));
                }
                columns.push(column);
                coefficients.push(r.finite64()?);
            }
            Some(Regression { columns, coefficients, constant: r.finite64()? })
        }
    };
    let count = r.count(8 + 12 * SAMPLES * num_points)?;
    let mut patterns = Vec::with_capacity(count);
    for _ in 0..count {
        let seconds = r.finite64()?;
        let mut points = Vec::with_capacity(SAMPLES * num_points);
        for _ in 0..SAMPLES * num_points {
            points.push(Vec3::new(r.finite32()?, r.finite32()?, r.finite32()?));
        }
        patterns.push(Pattern { seconds, points });
    }
    Ok(ModelPiece { name, start, end, group, objective, index, regression, patterns })
}
