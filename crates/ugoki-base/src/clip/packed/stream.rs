//! The blocks of a packed clip as one run of bits, and back into the form of memory.
//!
//! As in `decode`, the same source is compiled a second time for newer x86-64 machines.

use super::block::{Block, MAX_EXPONENT, MAX_PATH_STEPS, MAX_STEPS, factor};
use super::predict::{BitReader, BitWriter, MARGIN, Track};
use super::quantize::{Settling, Steps};
use super::search::plain_bits;
use super::{BLOCK, PackedClip};

/// The exponent of a block of plain numbers.
const PLAIN: u8 = u8::MAX;
/// What memory may take per byte read: a block of one joint that stands still takes two bytes and a third of a
/// kilobyte.
const MOST_MEMORY: usize = 256;
/// What memory may take besides, bytes: a clip of few blocks.
const SOME_MEMORY: usize = 1 << 16;

/// State passed from one block to the next.
struct Before {
    exponent: Option<u8>,
    references: Vec<Option<[i8; 4]>>,
    bases: Vec<Option<[f32; 3]>>,
    /// x, y, z of each moving joint, then of each moving path.
    tracks: Vec<Track>,
}

impl Before {
    fn new(clip: &PackedClip) -> Self {
        let (joints, paths) = (clip.moving.len(), clip.num_moving_paths);
        Self {
            exponent: None,
            references: vec![None; joints],
            bases: vec![None; paths],
            tracks: vec![Track::new(); 3 * (joints + paths)],
        }
    }

    /// Resets the state after a block of plain numbers.
    fn forget(&mut self) {
        self.references.fill(None);
        self.bases.fill(None);
    }

    fn set_exponent(&mut self, exponent: u8) {
        if let Some(before) = self.exponent.filter(|&before| before != exponent) {
            let ratio = f64::from(factor(before)) / f64::from(factor(exponent));
            self.tracks.iter_mut().for_each(|track| track.rescale(ratio));
        }
        self.exponent = Some(exponent);
    }

    fn restart(&mut self, first: usize) {
        self.tracks[first..first + 3].iter_mut().for_each(Track::restart);
    }
}

impl PackedClip {
    /// All blocks, see `docs/formats/clip-bytes.md`.
    pub(super) fn write_blocks(&self) -> Vec<u8> {
        let mut bits = BitWriter::default();
        let mut before = Before::new(self);
        let mut steps = Steps::new(self.moving.len(), self.num_moving_paths);
        for (number, block) in self.blocks.iter().enumerate() {
            let frames = BLOCK.min(self.num_frames - number * BLOCK);
            bits.push(u64::from(block.exponent.unwrap_or(PLAIN)), 8);
            let Some(exponent) = block.exponent else {
                let len = (frames * block.frame_bits).div_ceil(8);
                bits.bytes(&self.bits[block.bits..block.bits + len]);
                before.forget();
                continue;
            };
            self.unsettle(number, &mut steps);
            before.set_exponent(exponent);
            write_places(&steps, &mut before, &mut bits);
            let wide = |track: &[i32; BLOCK]| track.map(i64::from);
            let (turns, ways) = before.tracks.split_at_mut(steps.turns.len());
            for (track, numbers) in turns.iter_mut().zip(&steps.turns) {
                track.write(&wide(numbers)[..frames], &mut bits);
            }
            for (track, numbers) in ways.iter_mut().zip(&steps.ways) {
                track.write(&numbers[..frames], &mut bits);
            }
        }
        bits.finish()
    }

    /// The blocks of [`PackedClip::write_blocks`].
    pub(super) fn read_blocks(&mut self, bytes: &[u8]) -> Result<(), String> {
        #[cfg(target_arch = "x86_64")]
        if x86::detected() {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            return unsafe { x86::read(self, bytes) };
        }
        self.read_body(bytes)
    }

    #[inline(always)]
    fn read_body(&mut self, bytes: &[u8]) -> Result<(), String> {
        let padded = [bytes, &[0; MARGIN]].concat();
        let mut bits = BitReader::new(&padded);
        let mut before = Before::new(self);
        let mut steps = Steps::new(self.moving.len(), self.num_moving_paths);
        let mut room = Settling::new(self.num_frames);
        for number in 0..self.num_frames.div_ceil(BLOCK) {
            let frames = BLOCK.min(self.num_frames - number * BLOCK);
            let exponent = bits.take(8) as u8;
            if exponent == PLAIN {
                self.read_plain(frames, &mut bits)?;
                before.forget();
                continue;
            }
            if exponent >= MAX_EXPONENT {
                return Err(format!("a block of exponent {exponent}"));
            }
            before.set_exponent(exponent);
            read_places(&mut steps, &mut before, &mut bits)?;
            read_tracks(&mut steps, &mut before, &mut bits, frames)?;
            self.settle(exponent, frames, &steps, &mut room).ok_or("a number of too many bits")?;
            if self.memory() > MOST_MEMORY * bytes.len() + SOME_MEMORY {
                return Err(format!("more than {MOST_MEMORY} times its bytes in memory"));
            }
        }
        if bits.is_over() {
            return Err("the blocks end too early".to_owned());
        }
        if bits.is_done() { Ok(()) } else { Err("something follows the last block".to_owned()) }
    }

    fn read_plain(&mut self, frames: usize, bits: &mut BitReader<'_>) -> Result<(), String> {
        let frame_bits = plain_bits(self.moving.len(), self.num_moving_paths);
        let len = (frames * frame_bits).div_ceil(8);
        let raw = bits.raw(len).ok_or_else(|| format!("{len} bytes expected, {} left", bits.left()))?;
        let finite = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]).is_finite();
        if !raw.chunks_exact(4).all(finite) {
            return Err("a number in a block is not finite".to_owned());
        }
        self.append_plain(frame_bits, raw);
        Ok(())
    }

    /// Adds a block of plain numbers.
    pub(super) fn append_plain(&mut self, frame_bits: usize, bytes: &[u8]) {
        self.blocks.push(Block {
            exponent: None,
            heads: self.heads.len(),
            path_heads: self.path_heads.len(),
            widths: self.widths.len(),
            bits: self.bits.len(),
            frame_bits,
        });
        self.bits.extend_from_slice(bytes);
    }
}

/// References and bases that are others than in the block before.
fn write_places(steps: &Steps, before: &mut Before, bits: &mut BitWriter) {
    let same =
        |a: &Option<[f32; 3]>, b: &[f32; 3]| a.is_some_and(|a| a.map(f32::to_bits) == b.map(f32::to_bits));
    let turned: Vec<bool> =
        steps.references.iter().zip(&before.references).map(|(a, b)| Some(*a) != *b).collect();
    let moved: Vec<bool> = steps.bases.iter().zip(&before.bases).map(|(a, b)| !same(b, a)).collect();
    let any = turned.iter().chain(&moved).any(|&new| new);
    bits.push(u64::from(any), 1);
    if !any {
        return;
    }
    for (lane, reference) in steps.references.iter().enumerate() {
        bits.push(u64::from(turned[lane]), 1);
        if turned[lane] {
            reference.iter().for_each(|&r| bits.push(u64::from(r as u8), 8));
            before.references[lane] = Some(*reference);
            before.restart(3 * lane);
        }
    }
    for (path, base) in steps.bases.iter().enumerate() {
        bits.push(u64::from(moved[path]), 1);
        if moved[path] {
            base.iter().for_each(|b| bits.push(u64::from(b.to_bits()), 32));
            before.bases[path] = Some(*base);
            before.restart(3 * (steps.references.len() + path));
        }
    }
}

fn read_places(steps: &mut Steps, before: &mut Before, bits: &mut BitReader<'_>) -> Result<(), String> {
    let any = bits.take(1) == 1;
    for lane in 0..steps.references.len() {
        if any && bits.take(1) == 1 {
            let reference: [i8; 4] = std::array::from_fn(|_| bits.take(8) as i8);
            if reference == [0; 4] {
                return Err("a reference without a direction".to_owned());
            }
            before.references[lane] = Some(reference);
            before.restart(3 * lane);
        }
        steps.references[lane] = before.references[lane].ok_or("a joint without a reference")?;
        if bits.is_over() {
            return Err("the blocks end too early".to_owned());
        }
    }
    for path in 0..steps.bases.len() {
        if any && bits.take(1) == 1 {
            let base: [f32; 3] = std::array::from_fn(|_| f32::from_bits(bits.take(32) as u32));
            if base.iter().any(|b| !b.is_finite()) {
                return Err("a path from where no number leads".to_owned());
            }
            before.bases[path] = Some(base);
            before.restart(3 * (steps.references.len() + path));
        }
        steps.bases[path] = before.bases[path].ok_or("a path without a base")?;
        if bits.is_over() {
            return Err("the blocks end too early".to_owned());
        }
    }
    Ok(())
}

#[inline(always)]
fn read_tracks(
    steps: &mut Steps,
    before: &mut Before,
    bits: &mut BitReader<'_>,
    frames: usize,
) -> Result<(), String> {
    let mut numbers = [0i64; BLOCK];
    let (turns, ways) = before.tracks.split_at_mut(steps.turns.len());
    for (track, out) in turns.iter_mut().zip(&mut steps.turns) {
        let largest = track.read(bits, &mut numbers[..frames]).ok_or("an invalid code")?;
        if largest >= MAX_STEPS as u64 || bits.is_over() {
            return Err("a rotation beyond all steps, or the blocks end too early".to_owned());
        }
        for (out, &n) in out.iter_mut().zip(&numbers[..frames]) {
            *out = n as i32;
        }
    }
    for (track, out) in ways.iter_mut().zip(&mut steps.ways) {
        let largest = track.read(bits, &mut out[..frames]).ok_or("an invalid code")?;
        if largest >= MAX_PATH_STEPS as u64 || bits.is_over() {
            return Err("a path beyond all steps, or the blocks end too early".to_owned());
        }
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    pub(super) use super::super::decode::x86::detected;
    use super::PackedClip;

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn read(clip: &mut PackedClip, bytes: &[u8]) -> Result<(), String> {
        clip.read_body(bytes)
    }
}
