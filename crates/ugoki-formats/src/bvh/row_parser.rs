//! One row of numbers read at once: the hot loop of reading.

use crate::text::{blanks, fast};

/// Fills `row` from the line that starts with a word at `pos`; the start of the next line if the line
/// holds exactly that. Needs 64 bytes after each word, so the end of a file is read word by word.
#[inline(always)]
pub(super) fn fast_row(bytes: &[u8], pos: usize, row: &mut [f64], trailing: &mut bool) -> Option<usize> {
    let mut base = pos;
    let mut start = pos;
    let mut filled = 0;
    // Whether the byte before the block is a blank: words end at the first blank after something else.
    let mut carry = 1;
    loop {
        let blank = blanks(bytes, base)?;
        let mut ends = blank & !(blank << 1 | carry);
        carry = blank >> 63;
        while ends != 0 {
            let end = base + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if bytes[start] <= b' ' {
                // More than one blank between words.
                start += bytes[start..end].iter().position(|&b| !matches!(b, b' ' | b'\t'))?;
            }
            row[filled] = fast(bytes, start, end)?;
            filled += 1;
            if filled == row.len() {
                let rest = &bytes[end..];
                let blanks = rest.iter().position(|&b| !matches!(b, b' ' | b'\t'))?;
                *trailing = blanks > 0;
                let line_end = blanks + usize::from(rest[blanks] == b'\r');
                return (rest.get(line_end) == Some(&b'\n')).then_some(end + line_end + 1);
            }
            if !matches!(bytes[end], b' ' | b'\t') {
                return None;
            }
            start = end + 1;
        }
        base += 64;
    }
}
