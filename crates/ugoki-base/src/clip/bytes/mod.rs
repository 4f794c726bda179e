//! Clips as bytes without loss: name, tags, skeleton, every track to the bit, and the file's own numbers.
//!
//! The bytes are laid out for a general compressor, which the database applies: numbers become small integers
//! (`planes`), the file's decimals integers again (`source`), and poses that were made from the file's channels
//! the difference to what those channels foretell (`predict`), mostly zero. Every frame of every track takes at
//! least one byte, so what hostile bytes can make a reader allocate is bounded by their length. The layout is in
//! `docs/formats/clip-bytes.md`.

mod planes;
mod predict;
mod source;

use std::sync::Arc;

use glam::Quat;

use self::planes::{bits_of, cost, delta, float_of, read_planes, undelta, unzigzag, write_planes, zigzag};
use self::predict::Predictor;
use super::{Clip, Source, Translation, VectorTrack};
use crate::bytes::{BytesError, Reader, Writer};
use crate::skeleton::Skeleton;

const MAGIC: [u8; 4] = *b"UGCL";
const VERSION: u16 = 1;
/// How a track's numbers are foretold: by the frame before, by the line through the two before, or by the source.
const BY_ONE: u8 = 1;
const BY_TWO: u8 = 2;
const BY_SOURCE: u8 = 3;

impl Clip {
    /// Everything about the clip, its skeleton included; [`Clip::from_bytes`] gives an equal one, to the bit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        out.text(&self.name);
        out.texts(&self.tags);
        out.u8(u8::from(self.tpose_frame));
        out.f64(self.fps);
        out.blob(&self.skeleton.to_bytes());
        out.u64(self.num_frames() as u64);
        out.u8(u8::from(self.source.is_some()));
        if let Some(source) = &self.source {
            out.u64(self.source_start as u64);
            source::write(&mut out, source);
        }
        write_vectors(&mut out, &self.root, self.predictor(0).as_ref());
        for joint in 0..self.num_joints() {
            write_rotations(&mut out, self, joint);
        }
        out.count(self.translations.len());
        for Translation { joint, track } in &self.translations {
            out.count(*joint);
            write_vectors(&mut out, track, self.predictor(*joint).as_ref());
        }
        out.finish()
    }

    /// The clip of these bytes.
    ///
    /// # Errors
    /// When the bytes are not a clip's, are cut short, or hold numbers that are not finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut read, _) = Reader::new(bytes, MAGIC, VERSION)?;
        let name = read.text()?;
        let tags = read.texts()?;
        let tpose_frame = read.bool()?;
        let fps = read.f64()?;
        let skeleton = Skeleton::from_bytes(read.blob()?)?;
        let frames = read.u64()?;
        // One byte per frame of each of the root's three and each joint's four numbers, at least.
        let per_frame = 3 + 4 * skeleton.num_joints();
        let Some(num_frames) = usize::try_from(frames).ok().filter(|&n| read.fits(n, per_frame).is_ok())
        else {
            return Err(read.bad(format!("{frames} frames do not fit in {} bytes", read.left())));
        };
        let mut clip = Self::at_rest(skeleton, fps, 0).map_err(|error| read.bad(error.to_string()))?;
        (clip.name, clip.tags, clip.tpose_frame) = (name, tags, tpose_frame);
        if read.bool()? {
            let start = read.u64()?;
            let source = source::read(&mut read, clip.num_joints())?;
            match usize::try_from(start) {
                Ok(start) if start <= source.values.len() => clip.source_start = start,
                _ => return Err(read.bad(format!("the source has no row {start}"))),
            }
            clip.source = Some(Arc::new(source));
        }
        clip.root = read_vectors(&mut read, num_frames, clip.predictor(0).as_ref())?;
        let mut arrays: [Vec<f32>; 4] =
            std::array::from_fn(|_| Vec::with_capacity(num_frames * clip.num_joints()));
        for joint in 0..clip.num_joints() {
            read_rotations(&mut read, num_frames, clip.predictor(joint), &mut arrays)?;
        }
        clip.rotations = super::RotationTracks::from_arrays(arrays, clip.num_joints(), num_frames);
        let count = read.count(4 + 3 * num_frames)?;
        for _ in 0..count {
            let joint = read.u32()? as usize;
            let after = clip.translations.last().map_or(0, |before| before.joint);
            if joint <= after || joint >= clip.num_joints() {
                return Err(read.bad(format!("joint {joint} cannot have the next path")));
            }
            let track = read_vectors(&mut read, num_frames, clip.predictor(joint).as_ref())?;
            clip.translations.push(Translation { joint, track });
        }
        read.finish()?;
        Ok(clip)
    }

    /// What the source foretells about `joint`.
    fn predictor(&self, joint: usize) -> Option<Predictor<'_>> {
        let source: &Source = self.source.as_ref()?;
        Some(Predictor::new(source, self.source_start, joint, self.skeleton.joint(joint).offset))
    }
}

/// Differences of the numbers' order to what is foretold.
fn against(values: &[f32], foretold: impl Iterator<Item = f32>) -> Vec<u64> {
    let pairs = values.iter().zip(foretold);
    pairs.map(|(&v, p)| zigzag(i64::from(bits_of(v)) - i64::from(bits_of(p)))).collect()
}

/// The cheaper of the two predictions by earlier frames.
fn by_frames(values: &[f32]) -> (u8, Vec<u64>) {
    let ordered: Vec<i64> = values.iter().map(|&v| i64::from(bits_of(v))).collect();
    let (one, two) = (delta(&ordered, 1), delta(&ordered, 2));
    if cost(&one) <= cost(&two) { (BY_ONE, one) } else { (BY_TWO, two) }
}

fn write_vectors(out: &mut Writer, track: &VectorTrack, predictor: Option<&Predictor<'_>>) {
    for (axis, values) in [&track.x, &track.y, &track.z].into_iter().enumerate() {
        let (mut mode, mut coded) = by_frames(values);
        if let Some(predictor) = predictor {
            let foretold = (0..values.len()).map(|frame| predictor.position(frame).to_array()[axis]);
            let other = against(values, foretold);
            if cost(&other) < cost(&coded) {
                (mode, coded) = (BY_SOURCE, other);
            }
        }
        out.u8(mode);
        write_planes(out, &coded);
    }
}

fn read_vectors(
    read: &mut Reader<'_>,
    num_frames: usize,
    predictor: Option<&Predictor<'_>>,
) -> Result<VectorTrack, BytesError> {
    let mut axes = [Vec::new(), Vec::new(), Vec::new()];
    for (axis, values) in axes.iter_mut().enumerate() {
        let mode = read.u8()?;
        let coded = read_planes(read, num_frames, 5)?;
        *values = match (mode, predictor) {
            (BY_ONE | BY_TWO, _) => from_frames(mode, &coded),
            (BY_SOURCE, Some(predictor)) => (coded.iter().enumerate())
                .map(|(frame, &code)| moved(predictor.position(frame).to_array()[axis], code))
                .collect(),
            _ => return Err(read.bad(format!("a track of kind {mode}"))),
        };
        check_finite(read, values)?;
    }
    let [x, y, z] = axes;
    Ok(VectorTrack { x, y, z })
}

fn write_rotations(out: &mut Writer, clip: &Clip, joint: usize) {
    let track = clip.rotations.track(joint);
    let components = [track.x, track.y, track.z, track.w];
    let by_frames = components.map(by_frames);
    if let Some(predictor) = clip.predictor(joint) {
        let mut before = None;
        let foretold: Vec<Quat> = (0..track.len())
            .map(|frame| {
                let q = predictor.rotation(frame, before);
                before = Some(track.get(frame));
                q
            })
            .collect();
        let coded: [Vec<u64>; 4] =
            std::array::from_fn(|c| against(components[c], foretold.iter().map(|q| q.to_array()[c])));
        if coded.iter().map(|c| cost(c)).sum::<u64>() < by_frames.iter().map(|(_, c)| cost(c)).sum() {
            out.u8(BY_SOURCE);
            for component in &coded {
                write_planes(out, component);
            }
            return;
        }
    }
    for (mode, coded) in &by_frames {
        out.u8(*mode);
        write_planes(out, coded);
    }
}

fn read_rotations(
    read: &mut Reader<'_>,
    num_frames: usize,
    predictor: Option<Predictor<'_>>,
    out: &mut [Vec<f32>; 4],
) -> Result<(), BytesError> {
    let mut mode = read.u8()?;
    if mode == BY_SOURCE {
        let Some(predictor) = predictor else {
            return Err(read.bad("rotations by a source that is not there"));
        };
        let [x, y, z, w] = std::array::from_fn(|_| read_planes(read, num_frames, 5));
        let coded = x?.into_iter().zip(y?).zip(z?).zip(w?);
        let mut before = None;
        for (frame, (((x, y), z), w)) in coded.enumerate() {
            let foretold = predictor.rotation(frame, before).to_array();
            let codes = [x, y, z, w];
            let q: [f32; 4] = std::array::from_fn(|c| moved(foretold[c], codes[c]));
            check_finite(read, &q)?;
            before = Some(Quat::from_array(q));
            for (out, v) in out.iter_mut().zip(q) {
                out.push(v);
            }
        }
        return Ok(());
    }
    for (c, out) in out.iter_mut().enumerate() {
        if c > 0 {
            mode = read.u8()?;
        }
        if mode != BY_ONE && mode != BY_TWO {
            return Err(read.bad(format!("a track of kind {mode}")));
        }
        let values = from_frames(mode, &read_planes(read, num_frames, 5)?);
        check_finite(read, &values)?;
        out.extend(values);
    }
    Ok(())
}

/// The number `code` steps away from `from` in the order of all numbers.
fn moved(from: f32, code: u64) -> f32 {
    float_of(i64::from(bits_of(from)).wrapping_add(unzigzag(code)) as u32)
}

fn from_frames(mode: u8, coded: &[u64]) -> Vec<f32> {
    undelta(coded, if mode == BY_ONE { 1 } else { 2 }).into_iter().map(|v| float_of(v as u32)).collect()
}

fn check_finite(read: &Reader<'_>, values: &[f32]) -> Result<(), BytesError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(read.bad(format!("{v} in a track is not a finite number"))),
        None => Ok(()),
    }
}
