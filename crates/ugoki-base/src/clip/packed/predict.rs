//! How steps are written: each as its difference from what the frames before foretell, in a Rice code
//! [rice1979].
//!
//! A number is foretold from up to three before it in its track, across blocks, in one of four ways; the writer takes
//! the cheapest way and code for each track of each block. Differences are folded (0, −1, 1, −2 … become 0, 1, 2, 3 …)
//! and written as z/2^k zeros, a one, and the k lowest bits; one that would take [`ESCAPE`] zeros or more is written as
//! that many zeros and 48 bits.

use super::BLOCK;

/// Zeros from which on a number stands as it is.
const ESCAPE: u32 = 24;
/// Bits of a number that stands as it is.
const PLAIN_BITS: u32 = 48;
/// Largest k: any difference of two numbers, and any number, fits 56 bits.
const MAX_K: u8 = 26;
/// Bits that name a way of foretelling.
const WAY_BITS: u32 = 2;
const NUM_WAYS: u8 = 1 << WAY_BITS;
/// Bytes that must be readable beyond the end of the bits: what a block's longest track takes, and a word.
pub(super) const MARGIN: usize = (BLOCK * (ESCAPE + PLAIN_BITS) as usize + 256) / 8 + 16;
/// Most that a number from before a change of steps may become.
const LARGEST: f64 = (1u64 << 42) as f64;

/// What a track remembers from block to block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    /// The last three numbers, the latest first.
    last: [i64; 3],
    /// k + 1 of the block before, 0 if all differences were 0.
    code: u8,
}

impl Track {
    /// A track at 0, as after a new reference.
    pub(super) fn new() -> Self {
        // Differences of 16 to 32 steps are as usual as others.
        Self { last: [0; 3], code: 5 }
    }

    /// Forgets the numbers, which were counted from elsewhere.
    pub(super) fn restart(&mut self) {
        self.last = [0; 3];
    }

    /// Takes the numbers over to steps `ratio` times as many.
    pub(super) fn rescale(&mut self, ratio: f64) {
        self.last = self.last.map(|n| (n as f64 * ratio).clamp(-LARGEST, LARGEST) as i64);
    }

    /// What `way` foretells: the last number; half on along the last two; all the way on; on, bending.
    #[inline(always)]
    fn foretold(last: [i64; 3], way: u8) -> i64 {
        match way {
            0 => last[0],
            1 => (3 * last[0] - last[1]) >> 1,
            2 => 2 * last[0] - last[1],
            _ => (5 * last[0] - 4 * last[1] + last[2]) >> 1,
        }
    }

    /// Writes a track of a block.
    pub(super) fn write(&mut self, numbers: &[i64], bits: &mut BitWriter) {
        let (mut best, mut cheapest) = ((0, 0), u64::MAX);
        for way in 0..NUM_WAYS {
            let folded = self.folded(numbers, way);
            let folded = &folded[..numbers.len()];
            let usual = folded.iter().sum::<u64>() / numbers.len() as u64;
            // The best k is near the binary logarithm of the mean.
            let near = ((u64::BITS - usual.leading_zeros()) as u8).clamp(1, MAX_K + 1);
            let still = folded.iter().all(|&z| z == 0);
            for code in if still { 0..=0 } else { near..=(near + 2).min(MAX_K + 1) } {
                let cost = fold(i64::from(code) - i64::from(self.code))
                    + folded.iter().map(|&z| u64::from(cost(z, code))).sum::<u64>();
                if cost < cheapest {
                    (best, cheapest) = ((way, code), cost);
                }
            }
        }
        let (way, code) = best;
        bits.push(u64::from(way), WAY_BITS);
        bits.unary(fold(i64::from(code) - i64::from(self.code)));
        self.code = code;
        if code > 0 {
            for z in &self.folded(numbers, way)[..numbers.len()] {
                bits.rice(*z, code - 1);
            }
        }
        for &n in numbers {
            self.last = [n, self.last[0], self.last[1]];
        }
    }

    fn folded(&self, numbers: &[i64], way: u8) -> [u64; BLOCK] {
        let mut out = [0; BLOCK];
        let mut last = self.last;
        for (out, &n) in out.iter_mut().zip(numbers) {
            *out = fold(n - Self::foretold(last, way));
            last = [n, last[0], last[1]];
        }
        out
    }

    /// Reads a track of a block; gives the largest magnitude. Bits beyond the end read as 0.
    ///
    /// `None` if a code is out of range.
    #[inline(always)]
    pub(super) fn read(&mut self, bits: &mut BitReader<'_>, out: &mut [i64]) -> Option<u64> {
        let way = bits.take(WAY_BITS) as u8;
        let code = i64::from(self.code) + unfold(bits.unary()?);
        self.code = u8::try_from(code).ok().filter(|&code| code <= MAX_K + 1)?;
        Some(match way {
            0 => self.read_way::<0>(bits, out),
            1 => self.read_way::<1>(bits, out),
            2 => self.read_way::<2>(bits, out),
            _ => self.read_way::<3>(bits, out),
        })
    }

    #[inline(always)]
    fn read_way<const WAY: u8>(&mut self, bits: &mut BitReader<'_>, out: &mut [i64]) -> u64 {
        let mut last = self.last;
        let mut all = 0;
        let mut next = |out: &mut i64, difference: i64| {
            let n = Self::foretold(last, WAY) + difference;
            *out = n;
            all |= (n ^ (n >> 63)) as u64;
            last = [n, last[0], last[1]];
        };
        match self.code.checked_sub(1).map(u32::from) {
            None => out.iter_mut().for_each(|out| next(out, 0)),
            Some(k) => {
                let (pairs, rest) = out.as_chunks_mut::<2>();
                for [a, b] in pairs {
                    let [first, second] = bits.two_rices(k);
                    next(a, unfold(first));
                    next(b, unfold(second));
                }
                for out in rest {
                    next(out, unfold(bits.rice(k)));
                }
            }
        }
        self.last = last;
        all
    }
}

/// Whole numbers in order of their magnitude.
fn fold(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

#[inline(always)]
fn unfold(z: u64) -> i64 {
    (z >> 1) as i64 ^ -((z & 1) as i64)
}

/// Bits that a folded number takes.
fn cost(z: u64, code: u8) -> u32 {
    let Some(k) = code.checked_sub(1) else { return 0 };
    let zeros = z >> k;
    if zeros < u64::from(ESCAPE) { zeros as u32 + 1 + u32::from(k) } else { ESCAPE + PLAIN_BITS }
}

/// Appends bits to bytes, lowest first.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// At most 56 bits.
    pub(super) fn push(&mut self, value: u64, width: u32) {
        self.pending |= value << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    fn unary(&mut self, zeros: u64) {
        for _ in 0..zeros {
            self.push(0, 1);
        }
        self.push(1, 1);
    }

    fn rice(&mut self, z: u64, k: u8) {
        let zeros = z >> k;
        if zeros < u64::from(ESCAPE) {
            self.push(1 << zeros, zeros as u32 + 1);
            self.push(z & ((1 << k) - 1), u32::from(k));
        } else {
            self.push(0, ESCAPE);
            self.push(z, PLAIN_BITS);
        }
    }

    /// Whole bytes, from a whole byte on.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.align();
        self.bytes.extend_from_slice(bytes);
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.push(0, 8 - self.count);
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}

/// Takes bits from bytes, lowest first. The caller checks [`BitReader::is_over`] after every track: what lies
/// beyond the end must be readable for [`MARGIN`] bytes.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits that belong to the value.
    end: usize,
    /// The next bit.
    at: usize,
}

/// Bits that [`BitReader::word`] surely has.
const WORD: u32 = 57;

impl<'a> BitReader<'a> {
    /// All but the last [`MARGIN`] bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, end: 8 * bytes.len().saturating_sub(MARGIN), at: 0 }
    }

    /// Whether more bits were taken than there are.
    pub(super) fn is_over(&self) -> bool {
        self.at > self.end
    }

    /// Whole bytes left.
    pub(super) fn left(&self) -> usize {
        self.end.saturating_sub(self.at) / 8
    }

    /// The next 57 bits at least, then zeros.
    #[inline(always)]
    fn word(&self) -> u64 {
        let mut next = [0; 8];
        let byte = self.at / 8;
        next.copy_from_slice(&self.bytes[byte..byte + 8]);
        u64::from_le_bytes(next) >> (self.at % 8)
    }

    /// At most 57 bits.
    #[inline(always)]
    pub(super) fn take(&mut self, width: u32) -> u64 {
        let value = self.word() & ((1 << width) - 1);
        self.at += width as usize;
        value
    }

    /// Zeros before a one, at most 55.
    #[inline(always)]
    fn unary(&mut self) -> Option<u64> {
        let zeros = self.word().trailing_zeros();
        if zeros > 55 {
            return None;
        }
        self.at += zeros as usize + 1;
        Some(u64::from(zeros))
    }

    #[inline(always)]
    fn rice(&mut self, k: u32) -> u64 {
        let word = self.word();
        let zeros = word.trailing_zeros();
        if zeros >= ESCAPE {
            self.at += ESCAPE as usize;
            return self.take(PLAIN_BITS);
        }
        self.at += (zeros + 1 + k) as usize;
        (u64::from(zeros) << k) | ((word >> (zeros + 1)) & ((1 << k) - 1))
    }

    /// Two numbers; from one word where it has both, as nearly always, so that the second need not wait for memory.
    #[inline(always)]
    fn two_rices(&mut self, k: u32) -> [u64; 2] {
        let word = self.word();
        let zeros = word.trailing_zeros();
        let width = zeros + 1 + k;
        let second = word.wrapping_shr(width);
        let more = second.trailing_zeros();
        let both = width + more + 1 + k;
        // A one that is found is a one of the value: behind the word there are zeros.
        if zeros >= ESCAPE || more >= ESCAPE || both > WORD {
            return [self.rice(k), self.rice(k)];
        }
        self.at += both as usize;
        let mask = (1 << k) - 1;
        let low = [word >> (zeros + 1), second >> (more + 1)].map(|rest| rest & mask);
        [(u64::from(zeros) << k) | low[0], (u64::from(more) << k) | low[1]]
    }

    /// Whole bytes, from a whole byte on; `None` if there are not as many.
    pub(super) fn raw(&mut self, len: usize) -> Option<&'a [u8]> {
        let at = self.at.div_ceil(8);
        let end = at.checked_add(len).filter(|end| 8 * end <= self.end)?;
        self.at = 8 * end;
        Some(&self.bytes[at..end])
    }

    /// Whether the rest of the last byte is all there is, and 0.
    pub(super) fn is_done(&mut self) -> bool {
        let left = self.end.checked_sub(self.at);
        left.is_some_and(|left| left < 8 && self.take(left as u32) == 0)
    }
}
