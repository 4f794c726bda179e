//! Skeletons as bytes; the layout is in `docs/formats/clip-bytes.md`.

use std::sync::Arc;

use glam::Vec3;

use super::{Joint, Role, Skeleton};
use crate::bytes::{BytesError, Reader, Writer, fingerprint};

const MAGIC: [u8; 4] = *b"UGSK";
const VERSION: u16 = 1;
/// Bytes that a joint takes at least: length of its name, parent, offset, role, number of tips.
const MIN_JOINT: usize = 4 + 4 + 12 + 1 + 4;
/// A root's parent, and the role of a joint without one.
const NO_PARENT: u32 = u32::MAX;
const NO_ROLE: u8 = u8::MAX;
/// In place of the role, a facial expression. Skeletons without one have the bytes they always had.
const EXPRESSION: u8 = u8::MAX - 1;

impl Skeleton {
    /// Everything about the skeleton; [`Skeleton::from_bytes`] gives an equal one, to the bit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(|v| v)
    }

    /// The bytes, each number mapped by `convert`.
    fn write(&self, convert: impl Fn(f32) -> f32) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        out.count(self.joints.len());
        for joint in &self.joints {
            out.text(&joint.name);
            match joint.parent {
                Some(parent) => out.count(parent),
                None => out.u32(NO_PARENT),
            }
            write_vec3(&mut out, joint.offset, &convert);
            // Roles are numbered as VRM's list stands in `Role::ALL`; a new role goes to the end there.
            let none = if joint.is_expression { EXPRESSION } else { NO_ROLE };
            out.u8(joint.role.map_or(none, |role| role as u8));
            out.count(joint.tips.len());
            for &tip in &joint.tips {
                write_vec3(&mut out, tip, &convert);
            }
        }
        out.finish()
    }

    /// The skeleton of these bytes.
    ///
    /// # Errors
    /// When the bytes are not a skeleton's, are cut short, or their joints make no skeleton.
    pub fn from_bytes(bytes: &[u8]) -> Result<Arc<Self>, BytesError> {
        let (mut read, _) = Reader::new(bytes, MAGIC, VERSION)?;
        let count = read.count(MIN_JOINT)?;
        let mut joints = Vec::with_capacity(count);
        for _ in 0..count {
            let name = read.text()?;
            let parent = match read.u32()? {
                NO_PARENT => None,
                parent => Some(parent as usize),
            };
            let offset = read_vec3(&mut read)?;
            let code = read.u8()?;
            let role = match code {
                NO_ROLE | EXPRESSION => None,
                index => match Role::ALL.get(usize::from(index)) {
                    Some(&role) => Some(role),
                    None => return Err(read.bad(format!("role {index} is not known"))),
                },
            };
            let tips = read.count(12)?;
            let tips = (0..tips).map(|_| read_vec3(&mut read)).collect::<Result<_, _>>()?;
            joints.push(Joint { name, parent, offset, tips, role, is_expression: code == EXPRESSION });
        }
        let skeleton = Self::build(joints).map_err(|error| read.bad(error.to_string()))?;
        read.finish()?;
        Ok(skeleton)
    }

    /// A number that distinguishes skeletons: equal for equal ones, and for others differing but by chance
    /// (FNV-1a of the bytes). Zeros of either sign are equal.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        // −0 + 0 is +0.
        fingerprint(&self.write(|v| v + 0.0))
    }
}

fn write_vec3(out: &mut Writer, v: Vec3, convert: impl Fn(f32) -> f32) {
    for c in v.to_array() {
        out.f32(convert(c));
    }
}

fn read_vec3(read: &mut Reader<'_>) -> Result<Vec3, BytesError> {
    Ok(Vec3::new(read.finite32()?, read.finite32()?, read.finite32()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_skeletons_have_equal_fingerprints() {
        let with = |zero: f32| {
            let joints = vec![
                Joint::new("hips", None, Vec3::new(zero, 1.0, zero)),
                Joint::new("spine", Some(0), Vec3::new(zero, 0.2, 0.0)),
            ];
            Skeleton::build(joints).unwrap()
        };
        assert_eq!(with(0.0), with(-0.0));
        assert_eq!(with(0.0).fingerprint(), with(-0.0).fingerprint());
        // The bytes themselves keep the sign.
        assert_ne!(with(0.0).to_bytes(), with(-0.0).to_bytes());
    }
}
