//! A zip archive of stored files, as much of the format as `numpy.load` needs.

/// Bytes an entry and the archive may have without the 64-bit extension.
pub(super) const MAX_BYTES: u64 = u32::MAX as u64;

/// Files of an archive while it is written.
#[derive(Default)]
pub(super) struct Zip {
    bytes: Vec<u8>,
    /// The directory at the end.
    directory: Vec<u8>,
    count: u16,
}

/// 1 January 1980, the first day a zip can say, so that equal clips give equal files.
const DATE: u16 = 1 << 5 | 1;

impl Zip {
    /// Adds a file; its name is plain ASCII.
    pub(super) fn add(&mut self, name: &str, content: &[u8]) {
        let place = self.bytes.len() as u32;
        let size = content.len() as u32;
        let mut common = Vec::with_capacity(26);
        // Version 2.0 to unpack, no flags, stored, time 0, date.
        for value in [20, 0, 0, 0, DATE] {
            common.extend(u16::to_le_bytes(value));
        }
        for value in [crc32(content), size, size] {
            common.extend(u32::to_le_bytes(value));
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]); // no extra field
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(20u16.to_le_bytes()); // made by version 2.0
        self.directory.extend(&common);
        self.directory.extend([0; 10]); // no comment, first disk, no attributes
        self.directory.extend(place.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let place = self.bytes.len() as u32;
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend((self.directory.len() as u32).to_le_bytes());
        self.bytes.extend(place.to_le_bytes());
        self.bytes.extend([0, 0]); // no comment
        self.bytes
    }
}

/// Remainders of all bytes in four steps: table k is for bytes k places before the last.
const TABLES: [[u32; 256]; 4] = {
    let mut tables = [[0u32; 256]; 4];
    let mut i = 0;
    while i < 256 {
        let mut remainder = i as u32;
        let mut bit = 0;
        while bit < 8 {
            // The polynomial of zip and PNG, lowest power first.
            remainder = if remainder & 1 == 1 { 0xedb8_8320 ^ (remainder >> 1) } else { remainder >> 1 };
            bit += 1;
        }
        tables[0][i] = remainder;
        i += 1;
    }
    let mut table = 1;
    while table < 4 {
        let mut i = 0;
        while i < 256 {
            let before = tables[table - 1][i];
            tables[table][i] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            i += 1;
        }
        table += 1;
    }
    tables
};

/// The check sum of zip and PNG, four bytes at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let (words, rest) = bytes.as_chunks::<4>();
    for word in words {
        let x = crc ^ u32::from_le_bytes(*word);
        crc = TABLES[3][(x & 0xff) as usize]
            ^ TABLES[2][(x >> 8 & 0xff) as usize]
            ^ TABLES[1][(x >> 16 & 0xff) as usize]
            ^ TABLES[0][(x >> 24) as usize];
    }
    for &b in rest {
        crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(b)) & 0xff) as usize];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_check_value_of_the_polynomial() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    proptest! {
        #[test]
        fn four_bytes_at_a_time_are_one_at_a_time(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let slow = bytes.iter().fold(u32::MAX, |crc, &b| {
                (0..8).fold(crc ^ u32::from(b), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
            });
            prop_assert_eq!(crc32(&bytes), !slow);
        }
    }
}
