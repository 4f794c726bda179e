//! Contacts as bytes; the layout is in `docs/formats/clip-bytes.md`.

use std::ops::Range;

use ugoki_base::bytes::{BytesError, Reader, Writer, checksum};

use super::{Contacts, Floor, FootContacts};

const MAGIC: [u8; 4] = *b"UGCO";
/// Version 3 has the noise, version 2 ends with a checksum; older versions are still read.
const VERSION: u16 = 3;
/// Bytes of the checksum at the end.
const SUM: usize = 8;

impl Contacts {
    /// Floor and intervals; [`Contacts::from_bytes`] gives equal ones, to the bit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        let Floor { origin, height, slope, toe_clearance_m } = self.floor;
        for v in [origin[0], origin[1], height, slope[0], slope[1], toe_clearance_m] {
            out.f64(v);
        }
        for v in self.flat_m {
            out.f64(v);
        }
        out.f64(self.noise);
        for foot in &self.feet {
            for intervals in [&foot.heel, &foot.toe] {
                out.count(intervals.len());
                for range in intervals {
                    out.u64(range.start as u64);
                    out.u64(range.end as u64);
                }
            }
        }
        let mut bytes = out.finish();
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The contacts of these bytes.
    ///
    /// # Errors
    /// When the bytes are not contacts, are others than were written, are cut short, or intervals are empty, out of order or
    /// overlapping.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (_, version) = Reader::new(bytes, MAGIC, VERSION)?;
        let bytes = match (version, bytes.split_last_chunk::<SUM>()) {
            (1, _) => bytes,
            (_, Some((bytes, sum))) if checksum(bytes) == u64::from_le_bytes(*sum) => bytes,
            _ => return Err(BytesError::Sum),
        };
        let (mut read, _) = Reader::new(bytes, MAGIC, VERSION)?;
        let mut numbers = [0.0; 8];
        for number in &mut numbers {
            *number = read.finite64()?;
        }
        let [x, z, height, rise_x, rise_z, toe_clearance_m, flat_left, flat_right] = numbers;
        let noise = if version >= 3 { read.finite64()? } else { 1.0 };
        let floor = Floor { origin: [x, z], height, slope: [rise_x, rise_z], toe_clearance_m };
        let mut feet = [FootContacts::default(), FootContacts::default()];
        for foot in &mut feet {
            foot.heel = intervals(&mut read)?;
            foot.toe = intervals(&mut read)?;
        }
        read.finish()?;
        Ok(Self { floor, feet, flat_m: [flat_left, flat_right], noise })
    }
}

fn intervals(read: &mut Reader<'_>) -> Result<Vec<Range<usize>>, BytesError> {
    let count = read.count(16)?;
    let mut intervals: Vec<Range<usize>> = Vec::with_capacity(count);
    for _ in 0..count {
        let (start, end) = (read.u64()?, read.u64()?);
        let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
            return Err(read.bad(format!("frames {start}..{end} are more than this machine counts")));
        };
        if from >= to || intervals.last().is_some_and(|last| from < last.end) {
            return Err(read.bad(format!("frames {start}..{end} are empty or overlap the contact before")));
        }
        intervals.push(from..to);
    }
    Ok(intervals)
}
