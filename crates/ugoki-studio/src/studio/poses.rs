//! The binary message of poses, to bytes and back.

use super::protocol::{HEADER_BYTES, JOINT_FLOATS, Poses, VERSION};

impl Poses {
    /// How many frames.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len() / (usize::from(self.joints) * JOINT_FLOATS).max(1)
    }

    /// The message: version (u16), joints (u16), stream, first frame, count of frames (u32 each), numbers.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + 4 * self.values.len());
        bytes.extend((VERSION as u16).to_le_bytes());
        bytes.extend(self.joints.to_le_bytes());
        bytes.extend(self.stream.to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend((self.count() as u32).to_le_bytes());
        for value in &self.values {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    /// A message read back; `None` when it is none.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let half = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if u32::from(half(0)?) != VERSION {
            return None;
        }
        let (joints, count) = (half(2)?, word(12)? as usize);
        let body = bytes.get(HEADER_BYTES..)?;
        if body.len() != 4 * count.checked_mul(usize::from(joints) * JOINT_FLOATS)? {
            return None;
        }
        let values = body
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        Some(Self { stream: word(4)?, first: word(8)?, joints, values })
    }
}
