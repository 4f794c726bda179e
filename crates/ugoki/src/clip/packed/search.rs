//! One block at one exponent, and the coarsest exponent that holds the bound.

use glam::{DQuat, DVec3};

use super::block::{Block, HEAD, MAX_EXPONENT, MAX_PATH_BITS, PATH_SCALE, PathHead, factor, position};
use super::error::{Placed, place_into, unit};
use super::fit::{Fit, pack_turns, reference, steps, width_of};
use super::pack::MAX_ERROR_M;
use super::{BLOCK, LANES, PackedClip};
use crate::clip::Clip;
use crate::pose::Pose;

/// What blocks aim at: the bound less what is lost when its largest error is kept as f32.
const AIM_M: f64 = MAX_ERROR_M * (1.0 - 1e-6);

/// A block packed at some exponent.
pub(super) struct Candidate {
    heads: Vec<[i16; HEAD]>,
    path_heads: Vec<PathHead>,
    widths: Vec<u8>,
    /// One row per width.
    numbers: Vec<[i64; BLOCK]>,
    error: f64,
}

/// A block of the clip and what packing it needs.
pub(super) struct Search<'a> {
    clip: &'a Clip,
    scales: Vec<f32>,
    rest: Vec<DQuat>,
    /// Lane of each moving joint.
    lanes: Vec<Option<usize>>,
    /// Number of each moving path, by joint.
    paths: Vec<Option<usize>>,
    num_groups: usize,
    num_paths: usize,
    fit: Fit,
    frames: usize,
    poses: Vec<Pose>,
    /// What each joint turns about in the block.
    references: Vec<[i16; 4]>,
    /// Each frame of the block, placed.
    originals: Vec<Vec<Placed>>,
    /// Each frame as decoding places it.
    decoded: Vec<Vec<Placed>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(clip: &'a Clip, packed: &PackedClip) -> Self {
        let num_joints = clip.num_joints();
        let mut lanes = vec![None; num_joints];
        for (lane, &joint) in packed.moving.iter().enumerate() {
            lanes[joint as usize] = Some(lane);
        }
        let mut paths = vec![None; num_joints];
        for (number, path) in packed.paths.iter().filter(|path| path.still.is_none()).enumerate() {
            paths[path.joint] = Some(number);
        }
        let placed = Placed { position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        Self {
            clip,
            scales: packed.scales.clone(),
            rest: packed.rest.iter().map(|&q| unit(q)).collect(),
            lanes,
            paths,
            num_groups: packed.num_groups(),
            num_paths: packed.num_moving_paths,
            fit: Fit::new(BLOCK),
            frames: 0,
            poses: vec![Pose::rest(clip.skeleton()); BLOCK],
            references: vec![[0; 4]; num_joints],
            originals: vec![vec![placed; num_joints]; BLOCK],
            decoded: vec![vec![placed; num_joints]; BLOCK],
        }
    }

    /// Takes the frames from `first` on.
    pub(super) fn load(&mut self, first: usize, frames: usize) {
        if frames != self.frames {
            self.fit = Fit::new(frames);
            self.frames = frames;
        }
        for within in 0..frames {
            self.clip.pose_into(first + within, &mut self.poses[within]);
            place_into(self.clip.skeleton(), &self.poses[within], &mut self.originals[within]);
        }
        // The decoded parents' errors move the targets by less than a step or two, so one reference does for all steps.
        for joint in (0..self.lanes.len()).filter(|&joint| self.lanes[joint].is_some()) {
            let mut targets = [DQuat::IDENTITY; BLOCK];
            for (target, pose) in targets.iter_mut().zip(&self.poses[..frames]) {
                *target = unit(pose.rotations[joint]);
            }
            self.references[joint] = reference(&self.fit, &targets[..frames]);
        }
    }

    /// The coarsest exponent near `start` that holds the bound; `None` if none does.
    pub(super) fn coarsest(&mut self, start: u8) -> Option<(u8, Candidate)> {
        let mut exponent = start.min(MAX_EXPONENT - 1);
        let mut best = None;
        loop {
            let candidate = self.pack(exponent).filter(|candidate| candidate.error <= AIM_M);
            match (candidate, best) {
                (Some(candidate), _) if exponent == 0 => return Some((0, candidate)),
                (Some(candidate), None) if exponent > start => return Some((exponent, candidate)),
                (Some(candidate), _) => {
                    best = Some((exponent, candidate));
                    exponent -= 1;
                }
                (None, Some(best)) => return Some(best),
                (None, None) if exponent + 1 == MAX_EXPONENT => return None,
                (None, None) => {
                    best = None;
                    exponent += 1;
                }
            }
        }
    }

    /// The block in steps of this exponent; `None` if numbers get too long.
    fn pack(&mut self, exponent: u8) -> Option<Candidate> {
        let mut head = [0; HEAD];
        // Lanes without a joint turn about the identity.
        head[3 * LANES..4 * LANES].fill(1);
        let slots = self.num_groups * 3 * LANES;
        let mut out = Candidate {
            heads: vec![head; self.num_groups],
            path_heads: vec![PathHead::default(); self.num_paths],
            widths: vec![0; slots + 3 * self.num_paths],
            numbers: vec![[0; BLOCK]; slots + 3 * self.num_paths],
            error: 0.0,
        };
        for joint in 0..self.clip.num_joints() {
            let positions = self.pack_path(joint, exponent, &mut out)?;
            let rotations = self.pack_rotation(joint, exponent, &mut out)?;
            let parent = self.clip.skeleton().parent(joint);
            for within in 0..self.frames {
                let parent = parent.map(|parent| self.decoded[within][parent]);
                let placed = Placed::below(parent.as_ref(), positions[within], rotations[within]);
                self.decoded[within][joint] = placed;
                out.error = out.error.max(placed.distance(&self.originals[within][joint]));
            }
            if out.error > AIM_M {
                return Some(out);
            }
        }
        Some(out)
    }

    /// Where `joint` should be below its decoded parent: positions and rotations of the block.
    fn parent(&self, joint: usize, within: usize) -> Option<&Placed> {
        self.clip.skeleton().parent(joint).map(|parent| &self.decoded[within][parent])
    }

    /// Local positions as decoded.
    fn pack_path(&self, joint: usize, exponent: u8, out: &mut Candidate) -> Option<[DVec3; BLOCK]> {
        let mut positions = [DVec3::ZERO; BLOCK];
        let Some(number) = self.paths[joint] else {
            for (within, p) in positions.iter_mut().enumerate().take(self.frames) {
                *p = local_position(self.clip, joint, &self.poses[within]);
            }
            return Some(positions);
        };
        let mut targets = [[0.0; BLOCK]; 3];
        for within in 0..self.frames {
            let original = self.originals[within][joint].position;
            let target = self
                .parent(joint, within)
                .map_or(original, |parent| parent.rotation.conjugate() * (original - parent.position));
            for (targets, target) in targets.iter_mut().zip(target.to_array()) {
                targets[within] = target;
            }
        }
        let step = PATH_SCALE * f64::from(factor(exponent));
        let mut head = PathHead::default();
        for axis in 0..3 {
            let values = &targets[axis];
            head.base[axis] = self.fit.middle(values) as f32;
            head.cubic[axis] = steps(self.fit.cubic(values), step);
            let slot = self.num_groups * 3 * LANES + 3 * number + axis;
            for within in 0..self.frames {
                let basis = super::block::BASIS[within];
                let along: f64 =
                    head.cubic[axis].iter().zip(basis).map(|(&k, b)| f64::from(k) * f64::from(b)).sum();
                let n = ((values[within] - f64::from(head.base[axis])) / step - along).round();
                if n.abs() >= (1i64 << MAX_PATH_BITS) as f64 {
                    return None;
                }
                out.numbers[slot][within] = n as i64;
                let p = position(head.base[axis], head.cubic[axis], n as i64, basis, step);
                positions[within][axis] = f64::from(p);
            }
            out.widths[slot] = width_of(&out.numbers[slot]);
            if out.widths[slot] > MAX_PATH_BITS {
                return None;
            }
        }
        out.path_heads[number] = head;
        Some(positions)
    }

    /// Local rotations as decoded.
    fn pack_rotation(&self, joint: usize, exponent: u8, out: &mut Candidate) -> Option<[DQuat; BLOCK]> {
        let Some(lane) = self.lanes[joint] else { return Some([self.rest[joint]; BLOCK]) };
        let mut targets = [DQuat::IDENTITY; BLOCK];
        let still =
            self.poses[..self.frames].windows(2).all(|p| p[0].rotations[joint] == p[1].rotations[joint]);
        for (within, target) in targets.iter_mut().enumerate().take(self.frames) {
            let local = unit(self.poses[within].rotations[joint]);
            *target = match self.parent(joint, within) {
                Some(parent) if !still => {
                    let turned = parent.rotation.conjugate() * self.originals[within][joint].rotation;
                    if turned.dot(local) < 0.0 { -turned } else { turned }
                }
                _ => local,
            };
        }
        let step = self.scales[lane] * factor(exponent);
        let mut decoded = [DQuat::IDENTITY; BLOCK];
        let reference = self.references[joint];
        let (fit, frames) = (&self.fit, self.frames);
        let turns = pack_turns(fit, reference, &targets[..frames], step, &mut decoded[..frames])?;
        let (group, lane) = (lane / LANES, lane % LANES);
        let head = &mut out.heads[group];
        for (row, &r) in reference.iter().chain(turns.cubics.iter().flatten()).enumerate() {
            head[row * LANES + lane] = r;
        }
        for axis in 0..3 {
            let slot = group * 3 * LANES + axis * LANES + lane;
            out.widths[slot] = turns.widths[axis];
            out.numbers[slot] = turns.numbers[axis];
        }
        Some(decoded)
    }
}

fn local_position(clip: &Clip, joint: usize, pose: &Pose) -> DVec3 {
    if joint == 0 {
        return pose.root.as_dvec3();
    }
    match pose.translations.binary_search_by_key(&joint, |(joint, _)| *joint) {
        Ok(place) => pose.translations[place].1.as_dvec3(),
        Err(_) => clip.skeleton().joint(joint).offset.as_dvec3(),
    }
}

/// Appends bits to bytes, lowest first.
struct BitWriter<'a> {
    bytes: &'a mut Vec<u8>,
    pending: u128,
    count: u32,
}

impl BitWriter<'_> {
    fn push(&mut self, value: u64, width: u8) {
        self.pending |= u128::from(value) << self.count;
        self.count += u32::from(width);
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    fn finish(self) {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
    }
}

impl PackedClip {
    /// Adds a packed block.
    pub(super) fn append(&mut self, exponent: u8, candidate: &Candidate, frames: usize) {
        self.blocks.push(Block {
            exponent: Some(exponent),
            heads: self.heads.len(),
            path_heads: self.path_heads.len(),
            widths: self.widths.len(),
            bits: self.bits.len(),
            frame_bits: candidate.widths.iter().map(|&width| usize::from(width)).sum(),
        });
        self.heads.extend_from_slice(&candidate.heads);
        self.path_heads.extend_from_slice(&candidate.path_heads);
        self.widths.extend_from_slice(&candidate.widths);
        let mut bits = BitWriter { bytes: &mut self.bits, pending: 0, count: 0 };
        for within in 0..frames {
            for (numbers, &width) in candidate.numbers.iter().zip(&candidate.widths) {
                bits.push((numbers[within] + ((1 << width) >> 1)) as u64, width);
            }
        }
        bits.finish();
    }

    /// Adds a block of plain numbers.
    pub(super) fn append_plain(&mut self, clip: &Clip, first: usize, frames: usize) {
        self.blocks.push(Block {
            exponent: None,
            heads: self.heads.len(),
            path_heads: self.path_heads.len(),
            widths: self.widths.len(),
            bits: self.bits.len(),
            frame_bits: plain_bits(self.moving.len(), self.num_moving_paths),
        });
        for frame in first..first + frames {
            for &joint in &self.moving {
                for c in clip.rotation(joint as usize, frame).to_array() {
                    self.bits.extend(c.to_le_bytes());
                }
            }
            for path in self.paths.iter().filter(|path| path.still.is_none()) {
                for c in clip.local_position(path.joint, frame).to_array() {
                    self.bits.extend(c.to_le_bytes());
                }
            }
        }
    }
}

/// Bits of a frame of plain numbers.
pub(super) fn plain_bits(num_moving: usize, num_paths: usize) -> usize {
    num_moving * 128 + num_paths * 96
}
