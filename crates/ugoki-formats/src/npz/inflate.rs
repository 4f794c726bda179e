//! Decompression of DEFLATE data (RFC 1951), as `numpy.savez_compressed` stores arrays.

/// Longest code of a Huffman table, bits.
const MAX_BITS: usize = 15;

/// Least length and number of extra bits of the length symbols 257 to 285 (RFC 1951, 3.2.5).
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// The same for the distance symbols 0 to 29.
const DISTANCES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// Order in which the lengths of the code-length codes are stored.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The decompressed bytes; `None` when the data is broken or gives more than `max_bytes`.
pub(super) fn inflate(data: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { data, at: 0, held: 0, count: 0 };
    let mut out = Vec::new();
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, max_bytes)?,
            1 => {
                let mut lengths = [8u8; 288];
                lengths[144..256].fill(9);
                lengths[256..280].fill(7);
                block(&mut bits, &Codes::new(&lengths)?, &Codes::new(&[5; 30])?, &mut out, max_bytes)?;
            }
            2 => {
                let (literals, distances) = tables(&mut bits)?;
                block(&mut bits, &literals, &distances, &mut out, max_bytes)?;
            }
            _ => return None,
        }
        if is_last {
            return Some(out);
        }
    }
}

/// Bits of the data, lowest first.
struct Bits<'a> {
    data: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    /// The next `count` bits, at most 16.
    fn take(&mut self, count: u32) -> Option<u32> {
        while self.count < count {
            self.held |= u32::from(*self.data.get(self.at)?) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let value = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        Some(value)
    }
}

/// A canonical Huffman code: how many codes there are of each length, and the symbols in their order.
struct Codes {
    counts: [u16; MAX_BITS + 1],
    symbols: Vec<u16>,
}

impl Codes {
    /// From the code length of each symbol; `None` when there are more codes than fit.
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut counts = [0u16; MAX_BITS + 1];
        for &length in lengths {
            counts[usize::from(length)] += 1;
        }
        counts[0] = 0;
        let mut left = 1i32;
        let mut starts = [0usize; MAX_BITS + 2];
        for length in 1..=MAX_BITS {
            left = 2 * left - i32::from(counts[length]);
            if left < 0 {
                return None;
            }
            starts[length + 1] = starts[length] + usize::from(counts[length]);
        }
        let mut symbols = vec![0u16; starts[MAX_BITS + 1]];
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            symbols[starts[usize::from(length)]] = symbol as u16;
            starts[usize::from(length)] += 1;
        }
        Some(Self { counts, symbols })
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0usize, 0usize, 0usize);
        for length in 1..=MAX_BITS {
            code |= bits.take(1)? as usize;
            let count = usize::from(self.counts[length]);
            if code < first + count {
                return self.symbols.get(index + code - first).map(|&symbol| usize::from(symbol));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>, max_bytes: usize) -> Option<()> {
    (bits.held, bits.count) = (0, 0);
    let [length, check] = [bits.take(16)?, bits.take(16)?];
    let content = bits.data.get(bits.at..bits.at + length as usize)?;
    if length != !check & 0xffff || out.len() + content.len() > max_bytes {
        return None;
    }
    out.extend_from_slice(content);
    bits.at += content.len();
    Some(())
}

fn tables(bits: &mut Bits<'_>) -> Option<(Codes, Codes)> {
    let (literals, distances) = (bits.take(5)? as usize + 257, bits.take(5)? as usize + 1);
    let count = bits.take(4)? as usize + 4;
    let mut lengths = [0u8; 19];
    for &place in &ORDER[..count] {
        lengths[place] = bits.take(3)? as u8;
    }
    let code = Codes::new(&lengths)?;
    let mut lengths: Vec<u8> = Vec::with_capacity(literals + distances);
    while lengths.len() < literals + distances {
        let (value, times) = match code.read(bits)? {
            symbol @ 0..=15 => (symbol as u8, 1),
            16 => (*lengths.last()?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            _ => (0, 11 + bits.take(7)?),
        };
        lengths.extend(std::iter::repeat_n(value, times as usize));
    }
    if lengths.len() > literals + distances {
        return None;
    }
    Some((Codes::new(&lengths[..literals])?, Codes::new(&lengths[literals..])?))
}

fn block(
    bits: &mut Bits<'_>,
    literals: &Codes,
    distances: &Codes,
    out: &mut Vec<u8>,
    max_bytes: usize,
) -> Option<()> {
    let extra = |bits: &mut Bits<'_>, (base, extra): (u16, u8)| {
        Some(usize::from(base) + bits.take(u32::from(extra))? as usize)
    };
    loop {
        match literals.read(bits)? {
            symbol @ 0..=255 => {
                if out.len() >= max_bytes {
                    return None;
                }
                out.push(symbol as u8);
            }
            256 => return Some(()),
            symbol => {
                let length = extra(bits, *LENGTHS.get(symbol - 257)?)?;
                let symbol = distances.read(bits)?;
                let distance = extra(bits, *DISTANCES.get(symbol)?)?;
                let from = out.len().checked_sub(distance)?;
                if out.len() + length > max_bytes {
                    return None;
                }
                for at in from..from + length {
                    out.push(out[at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `zlib.compressobj(9, zlib.DEFLATED, -15)` of Python over the bytes `i * i % 251 // 50` for i below 300.
    const DYNAMIC: &[u8] = &[
        0x8d, 0x8f, 0x4b, 0x16, 0xc0, 0x30, 0x08, 0x02, 0x55, 0xb8, 0xff, 0x99, 0x3b, 0x9a, 0xbc, 0xf4, 0xb3,
        0xaa, 0x45, 0x20, 0xab, 0xb1, 0x11, 0x6b, 0x32, 0xab, 0x4a, 0x32, 0x8d, 0x34, 0x3e, 0xc6, 0x92, 0x25,
        0xa2, 0xc5, 0xbb, 0x4c, 0x76, 0xa3, 0xec, 0x8f, 0x1e, 0xca, 0x63, 0x23, 0x57, 0x5a, 0x6b, 0x63, 0x1b,
        0x4e, 0x90, 0x02, 0x95, 0x8f, 0x19, 0xb2, 0xec, 0x3e, 0x42, 0x37, 0x5b, 0x5e, 0x3b, 0xfc, 0x96, 0xf3,
        0xd8, 0x07, 0xbe, 0xc8, 0x73, 0xc1, 0x88, 0x4e, 0xf8, 0x66, 0x03, 0x8c, 0x39, 0xa1, 0xc9, 0xf1, 0x9e,
        0xdf, 0xbf, 0x7e, 0x01,
    ];
    /// The same of `b"walk walk walk walk"`, with fixed codes.
    const FIXED: &[u8] = &[0x2b, 0x4f, 0xcc, 0xc9, 0x56, 0x28, 0x47, 0x21, 0x00];

    #[test]
    fn blocks_of_every_kind_are_decompressed() {
        let numbers: Vec<u8> = (0..300u32).map(|i| (i * i % 251 / 50) as u8).collect();
        assert_eq!(inflate(DYNAMIC, 300).unwrap(), numbers);
        assert_eq!(inflate(FIXED, 100).unwrap(), b"walk walk walk walk");
        assert_eq!(inflate(b"\x01\x03\x00\xfc\xffabc", 3).unwrap(), b"abc");
    }

    #[test]
    fn broken_data_and_data_beyond_the_bound_are_refused() {
        assert_eq!(inflate(DYNAMIC, 299), None);
        assert_eq!(inflate(FIXED, 18), None);
        for length in 0..DYNAMIC.len() {
            assert_eq!(inflate(&DYNAMIC[..length], 300), None);
        }
        for (at, bit) in (0..DYNAMIC.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut data = DYNAMIC.to_vec();
            data[at] ^= 1 << bit;
            // Whatever it gives, it is no more than was allowed.
            assert!(inflate(&data, 1000).is_none_or(|out| out.len() <= 1000));
        }
    }
}
