//! Bytes in and out: common parts of every module's `to_bytes` and `from_bytes`.
//!
//! Each value starts with four letters that tell what it is and a version; numbers are little endian, text is
//! UTF-8 after its length. A reader never allocates for a count before it has seen that the bytes left can
//! hold that many items, so hostile sizes cost nothing. The layouts are in `docs/formats/clip-bytes.md`.

/// Why bytes are not the value wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// The first four bytes name something else.
    #[error("the bytes start with {found:?}, expected {wanted:?}")]
    Magic {
        /// The letters wanted.
        wanted: String,
        /// What stands there.
        found: String,
    },
    /// Written by a newer program, or damaged.
    #[error("version {found} of {what} is not known, expected at most {newest}")]
    Version {
        /// The letters of the value.
        what: String,
        /// The version written.
        found: u16,
        /// The newest version known.
        newest: u16,
    },
    /// Written by an older program in a form that is no longer read.
    #[error("{what} of version {found} is no longer read, expected {oldest} or newer")]
    Old {
        /// What it is.
        what: String,
        /// The version written.
        found: u16,
        /// The oldest version read.
        oldest: u16,
    },
    /// The bytes are others than were written.
    #[error("the bytes do not match their checksum")]
    Sum,
    /// The bytes end too early.
    #[error("byte {at}: {needed} bytes expected, {left} left")]
    Short {
        /// Where.
        at: usize,
        /// How many were needed.
        needed: usize,
        /// How many there were.
        left: usize,
    },
    /// A value that cannot be.
    #[error("byte {at}: {what}")]
    Bad {
        /// Where.
        at: usize,
        /// What is wrong.
        what: String,
    },
}

/// Builds bytes.
#[derive(Debug)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Begins with four letters and a version.
    pub fn new(magic: [u8; 4], version: u16) -> Self {
        let mut writer = Self { bytes: magic.to_vec() };
        writer.u16(version);
        writer
    }

    /// Writes an unsigned integer of 8 bits.
    pub fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }

    /// Writes an unsigned integer of 16 bits.
    pub fn u16(&mut self, v: u16) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes an unsigned integer of 32 bits.
    pub fn u32(&mut self, v: u32) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes an unsigned integer of 64 bits.
    pub fn u64(&mut self, v: u64) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes a number of 32 bits.
    pub fn f32(&mut self, v: f32) {
        self.raw(&v.to_le_bytes());
    }

    /// Writes a number of 64 bits.
    pub fn f64(&mut self, v: f64) {
        self.raw(&v.to_le_bytes());
    }

    /// A count or index as u32.
    ///
    /// # Panics
    /// If it does not fit, which no value of this library does: items take memory.
    pub fn count(&mut self, v: usize) {
        self.u32(u32::try_from(v).expect("counts of items in memory fit 32 bits"));
    }

    /// Writes a text after its length.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    /// Writes a count and as many texts.
    pub fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
    }

    /// Bytes after their length.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns what was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Takes bytes apart; every step may fail and none allocates more than the bytes left allow.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Checks the letters and that the version is 1 to `newest`; gives the version too.
    pub fn new(bytes: &'a [u8], magic: [u8; 4], newest: u16) -> Result<(Self, u16), BytesError> {
        let mut reader = Self { bytes, at: 0 };
        let found = reader.raw(4)?;
        let letters = |bytes: &[u8]| bytes.escape_ascii().to_string();
        if found != magic {
            return Err(BytesError::Magic { wanted: letters(&magic), found: letters(found) });
        }
        let version = reader.u16()?;
        if version == 0 || version > newest {
            return Err(BytesError::Version { what: letters(&magic), found: version, newest });
        }
        Ok((reader, version))
    }

    /// Bytes not yet read.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error about what was just read.
    pub fn bad(&self, what: impl Into<String>) -> BytesError {
        BytesError::Bad { at: self.at, what: what.into() }
    }

    /// Reads the next `len` bytes.
    pub fn raw(&mut self, len: usize) -> Result<&'a [u8], BytesError> {
        let left = self.left();
        if len > left {
            return Err(BytesError::Short { at: self.at, needed: len, left });
        }
        let bytes = &self.bytes[self.at..self.at + len];
        self.at += len;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let mut out = [0; N];
        out.copy_from_slice(self.raw(N)?);
        Ok(out)
    }

    /// Reads an unsigned integer of 8 bits.
    pub fn u8(&mut self) -> Result<u8, BytesError> {
        Ok(self.raw(1)?[0])
    }

    /// Reads an unsigned integer of 16 bits.
    pub fn u16(&mut self) -> Result<u16, BytesError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Reads an unsigned integer of 32 bits.
    pub fn u32(&mut self) -> Result<u32, BytesError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads an unsigned integer of 64 bits.
    pub fn u64(&mut self) -> Result<u64, BytesError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a number of 32 bits.
    pub fn f32(&mut self) -> Result<f32, BytesError> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// Reads a number of 64 bits.
    pub fn f64(&mut self) -> Result<f64, BytesError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A number that must be finite.
    pub fn finite32(&mut self) -> Result<f32, BytesError> {
        let v = self.f32()?;
        if v.is_finite() { Ok(v) } else { Err(self.bad(format!("{v} is not a finite number"))) }
    }

    /// A number that must be finite.
    pub fn finite64(&mut self) -> Result<f64, BytesError> {
        let v = self.f64()?;
        if v.is_finite() { Ok(v) } else { Err(self.bad(format!("{v} is not a finite number"))) }
    }

    /// Reads a byte that must be 0 or 1.
    pub fn bool(&mut self) -> Result<bool, BytesError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.bad(format!("{other} is neither 0 nor 1"))),
        }
    }

    /// A count of items that take at least `min_bytes` each of what is left.
    pub fn count(&mut self, min_bytes: usize) -> Result<usize, BytesError> {
        let count = self.u32()? as usize;
        self.fits(count, min_bytes)?;
        Ok(count)
    }

    /// Fails unless `count` items of `min_bytes` each can still come.
    pub fn fits(&self, count: usize, min_bytes: usize) -> Result<(), BytesError> {
        let needed = count.saturating_mul(min_bytes);
        if needed > self.left() {
            return Err(BytesError::Short { at: self.at, needed, left: self.left() });
        }
        Ok(())
    }

    /// Reads a text after its length.
    pub fn text(&mut self) -> Result<String, BytesError> {
        let bytes = self.blob()?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.bad("text that is not UTF-8"))
    }

    /// Reads a count and as many texts.
    pub fn texts(&mut self) -> Result<Vec<String>, BytesError> {
        // An empty text still takes its length's four bytes.
        let count = self.count(4)?;
        (0..count).map(|_| self.text()).collect()
    }

    /// Reads bytes after their length.
    pub fn blob(&mut self) -> Result<&'a [u8], BytesError> {
        let len = self.count(1)?;
        self.raw(len)
    }

    /// Nothing may follow.
    pub fn finish(self) -> Result<(), BytesError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.bad(format!("{left} bytes follow the end"))),
        }
    }
}

/// A 64-bit fingerprint (FNV-1a): distinguishes values; not a cryptographic hash.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The checksum at the end of values that have one: eight bytes at a time, the last ones filled up with zeros, and
/// their number. Every step can be undone, so damage within eight bytes never goes unseen; it is no protection against
/// intent.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^ (sum >> 29)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(0, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(step(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}
