//! An edit basis as bytes: `UGEB`, version 1, little endian.
//!
//! ```text
//! start u32, frames u32, handles u32, then for each handle
//!   name text, joint u32,
//!   path: places 3 f32 × (frames + 1), coefficients,      turning: rotations 4 f32 × (frames + 1), coefficients
//! coefficients: mean speed f64, then for each sample δ f64 and five sums f64 (weight, mean, spread, two ways back)
//! ```
//!
//! What is read is what was written, to the last bit: nothing is computed again.

use glam::{Quat, Vec3};
use ugoki_base::bytes::{BytesError, Reader, Writer};

use super::basis::{EditBasis, HandleBasis};
use super::coefficients::{Ahead, Coefficients};
use super::path::PathBasis;
use super::turn::TurnBasis;

const MAGIC: [u8; 4] = *b"UGEB";
const VERSION: u16 = 1;
/// Bytes of one sample of a handle at least: a place, a rotation and twice its coefficients.
const SAMPLE_BYTES: usize = 12 + 16 + 2 * 48;

impl EditBasis {
    /// Version of the bytes that [`EditBasis::to_bytes`] writes.
    pub const BYTES_VERSION: u16 = VERSION;

    /// The basis as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new(MAGIC, VERSION);
        w.count(self.frames.start);
        w.count(self.frames.len());
        w.count(self.handles.len());
        for handle in &self.handles {
            w.text(&handle.name);
            w.count(handle.joint);
            handle.path.samples.iter().for_each(|p| p.to_array().into_iter().for_each(|v| w.f32(v)));
            coefficients_to(&mut w, &handle.path.coefficients);
            handle.turn.samples.iter().for_each(|q| q.to_array().into_iter().for_each(|v| w.f32(v)));
            coefficients_to(&mut w, &handle.turn.coefficients);
        }
        w.finish()
    }

    /// The basis of these bytes.
    ///
    /// # Errors
    /// When they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut r, _) = Reader::new(bytes, MAGIC, VERSION)?;
        let start = r.u32()? as usize;
        let frames = r.u32()? as usize;
        if frames < 3 {
            return Err(r.bad(format!("a segment of {frames} frames, expected 3 or more")));
        }
        let samples = frames + 1;
        r.fits(samples, SAMPLE_BYTES)?;
        let count = r.count(SAMPLE_BYTES)?;
        r.fits(count.saturating_mul(samples), SAMPLE_BYTES)?;
        let mut handles = Vec::with_capacity(count);
        for _ in 0..count {
            let name = r.text()?;
            let joint = r.u32()? as usize;
            let mut places = Vec::with_capacity(samples);
            for _ in 0..samples {
                places.push(Vec3::new(r.finite32()?, r.finite32()?, r.finite32()?));
            }
            let of_path = coefficients_from(&mut r, samples)?;
            let mut turns = Vec::with_capacity(samples);
            for _ in 0..samples {
                turns.push(Quat::from_xyzw(r.finite32()?, r.finite32()?, r.finite32()?, r.finite32()?));
            }
            if turns.iter().any(|q| (q.length() - 1.0).abs() > 1e-3) {
                return Err(r.bad(format!("handle {name:?} has a rotation that is not of unit length")));
            }
            let of_turn = coefficients_from(&mut r, samples)?;
            handles.push(HandleBasis {
                name,
                joint,
                path: PathBasis { samples: places, coefficients: of_path },
                turn: TurnBasis { samples: turns, coefficients: of_turn },
            });
        }
        r.finish()?;
        Ok(Self { frames: start..start + frames, handles })
    }
}

fn coefficients_to(w: &mut Writer, coefficients: &Coefficients) {
    w.f64(coefficients.mean_speed);
    for (delta, ahead) in coefficients.delta.iter().zip(&coefficients.ahead) {
        for v in [*delta, ahead.weight, ahead.mean, ahead.spread, ahead.back[0], ahead.back[1]] {
            w.f64(v);
        }
    }
}

fn coefficients_from(r: &mut Reader<'_>, samples: usize) -> Result<Coefficients, BytesError> {
    let mean_speed = r.finite64()?;
    let (mut delta, mut ahead) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
    for _ in 0..samples {
        delta.push(r.finite64()?);
        let [weight, mean, spread] = [r.finite64()?, r.finite64()?, r.finite64()?];
        ahead.push(Ahead { weight, mean, spread, back: [r.finite64()?, r.finite64()?] });
    }
    let n = samples - 2;
    let rises = delta.windows(2).all(|pair| pair[0] <= pair[1]);
    if delta[0] != 0.0 || delta[n] != 1.0 || !rises || mean_speed < 0.0 {
        return Err(r.bad("coefficients that do not go from 0 to 1"));
    }
    Ok(Coefficients { delta, ahead, mean_speed })
}
