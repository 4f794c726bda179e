//! Numbers as the three processors store them.

/// Processor type of the file: the byte order and the form of its real numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processor {
    /// Little endian, IEEE reals.
    Intel,
    /// Little endian, VAX F reals: words swapped, exponent biased by 2 more.
    Dec,
    /// Big endian, IEEE reals.
    Mips,
}

/// Bytes with their processor; reads beyond the end give `None`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Data<'a> {
    pub bytes: &'a [u8],
    pub processor: Processor,
}

impl Processor {
    /// From the fourth byte of the parameter section: 84, 85, 86.
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            84 => Some(Self::Intel),
            85 => Some(Self::Dec),
            86 => Some(Self::Mips),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Intel => "Intel",
            Self::Dec => "DEC",
            Self::Mips => "SGI/MIPS",
        }
    }

    fn i16(self, b: [u8; 2]) -> i16 {
        match self {
            Self::Intel | Self::Dec => i16::from_le_bytes(b),
            Self::Mips => i16::from_be_bytes(b),
        }
    }

    fn f32(self, b: [u8; 4]) -> f32 {
        match self {
            Self::Intel => f32::from_le_bytes(b),
            Self::Mips => f32::from_be_bytes(b),
            Self::Dec => {
                let bits = u32::from_le_bytes([b[2], b[3], b[0], b[1]]);
                // VAX F has no infinities and no subnormals; exponent 0 is zero.
                if bits & 0x7f80_0000 == 0 {
                    return 0.0;
                }
                // In f64, because the largest VAX numbers look like infinities before the division by 4.
                let exponent = ((bits >> 23) & 0xff) as i32 - 129;
                let fraction = 1.0 + f64::from(bits & 0x007f_ffff) / f64::from(1u32 << 23);
                let sign = if bits >> 31 == 1 { -1.0 } else { 1.0 };
                (sign * fraction * 2f64.powi(exponent)) as f32
            }
        }
    }
}

impl Data<'_> {
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(super) fn u8(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub(super) fn i16(&self, at: usize) -> Option<i16> {
        Some(self.processor.i16(self.array(at)?))
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        Some(self.i16(at)? as u16)
    }

    pub(super) fn f32(&self, at: usize) -> Option<f32> {
        Some(self.processor.f32(self.array(at)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// VAX F bytes of a number, by the format's definition: 0.1fff × 2^(e − 128), words swapped.
    fn vax(x: f32) -> [u8; 4] {
        let bits = if x == 0.0 { 0 } else { x.to_bits() + (2 << 23) };
        let b = bits.to_le_bytes();
        [b[2], b[3], b[0], b[1]]
    }

    proptest! {
        #[test]
        fn every_processor_gives_back_the_number(x in -1e6..1e6_f32) {
            prop_assert_eq!(Processor::Intel.f32(x.to_le_bytes()), x);
            prop_assert_eq!(Processor::Mips.f32(x.to_be_bytes()), x);
            if x.abs() > 1e-30 {
                prop_assert_eq!(Processor::Dec.f32(vax(x)), x);
            }
        }
    }

    #[test]
    fn documented_vax_bytes_are_one_and_minus_a_half() {
        // DEC's own examples: 1.0 is 4080 hex in the first word, −0.5 is C000 hex.
        assert_eq!(Processor::Dec.f32([0x80, 0x40, 0, 0]), 1.0);
        assert_eq!(Processor::Dec.f32([0x00, 0xc0, 0, 0]), -0.5);
        assert_eq!(Processor::Dec.f32([0, 0, 0, 0]), 0.0);
    }
}
