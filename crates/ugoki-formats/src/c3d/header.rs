//! The first block of the file.

use super::processor::{Data, Processor};
use crate::{Findings, ReadError, Severity};

/// Bytes per block.
pub(super) const BLOCK: usize = 512;

/// What the header says; the parameters often say it again and differently.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    /// Byte at which the parameter section starts.
    pub parameters: usize,
    /// Blocks of the parameter section.
    pub parameter_blocks: usize,
    pub points: usize,
    /// Analog numbers per frame of points, all channels together.
    pub analog: usize,
    pub first: u16,
    pub last: u16,
    /// Negative where points are real numbers.
    pub scale: f32,
    /// Block of the first frame, from 1.
    pub data_block: usize,
    pub analog_per_frame: usize,
    pub rate: f32,
}

/// Finds the processor and reads the header.
pub(super) fn read<'a>(bytes: &'a [u8], findings: &mut Findings) -> Result<(Header, Data<'a>), ReadError> {
    let short = || ReadError::Malformed {
        line: None,
        message: format!("the file has {} bytes, expected a header block of 512 and parameters", bytes.len()),
        hint: "the file is cut off; export it again",
    };
    let (Some(&block), Some(&key)) = (bytes.first(), bytes.get(1)) else { return Err(short()) };
    if bytes.len() <= BLOCK {
        return Err(short());
    }
    if key != 0x50 {
        return Err(ReadError::Malformed {
            line: None,
            message: format!("byte 1: found {key:#04x}, expected the mark 0x50 of a C3D file"),
            hint: "the file may be of another format",
        });
    }
    let parameters = usize::from(block.max(1) - 1) * BLOCK;
    let parameters = if parameters == 0 || parameters + 4 > bytes.len() {
        let message = format!("byte 0 places the parameters in block {block}, where there are none");
        findings.note(Severity::Warning, None, "parameter-block", message, "they are in block 2");
        BLOCK
    } else {
        parameters
    };
    let mark = bytes.get(parameters + 3).copied().ok_or_else(short)?;
    let processor = Processor::from_byte(mark).unwrap_or_else(|| {
        let message = format!("byte {}: the processor is {mark}, expected 84, 85 or 86", parameters + 3);
        findings.note(Severity::Warning, None, "processor", message, "Intel");
        Processor::Intel
    });
    let data = Data { bytes, processor };
    let word = |at: usize| data.u16(at).ok_or_else(short);
    let real = |at: usize| data.f32(at).ok_or_else(short);
    let header = Header {
        parameters,
        parameter_blocks: usize::from(bytes[parameters + 2]),
        points: usize::from(word(2)?),
        analog: usize::from(word(4)?),
        first: word(6)?,
        last: word(8)?,
        scale: real(12)?,
        data_block: usize::from(word(16)?),
        analog_per_frame: usize::from(word(18)?),
        rate: real(20)?,
    };
    Ok((header, data))
}
