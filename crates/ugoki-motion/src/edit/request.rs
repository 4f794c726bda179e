//! Requests for handles as users write them: `rightHand@0.3,1.2,0.4` or `LeftFoot@+0,0,0.1@33f`.

use std::fmt;
use std::str::FromStr;

use glam::Vec3;
use ugoki_base::clip::Time;
use ugoki_base::skeleton::Role;

use super::{EditError, Handle};

/// Where a handle must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// World position, metres.
    World(Vec3),
    /// So far from where it was captured, world axes, metres.
    Offset(Vec3),
}

/// Where, and if asked how fast, a handle must be at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct HandleRequest {
    /// Which joint.
    pub handle: Handle,
    /// Where.
    pub place: Place,
    /// How fast, metres per second; as captured at the segment's end, and as the edit makes it before that, when absent.
    pub velocity_m_s: Option<Vec3>,
    /// When; at the segment's last frame when absent. Earlier requests cut the segment there.
    pub at: Option<Time>,
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(role) => f.write_str(role.name()),
            Self::Joint(name) => f.write_str(name),
        }
    }
}

/// Largest number of a request, metres or m/s: f32 keeps a tenth of a millimetre there.
const MOST: f32 = 1000.0;

impl FromStr for HandleRequest {
    type Err = EditError;

    fn from_str(text: &str) -> Result<Self, EditError> {
        let wrong = || EditError::Request { text: text.to_owned() };
        let mut parts = text.split('@');
        let (Some(name), Some(numbers)) = (parts.next(), parts.next()) else { return Err(wrong()) };
        let at = parts.next().map(str::parse).transpose().map_err(|_| wrong())?;
        let is_offset = numbers.starts_with('+');
        let numbers = numbers.strip_prefix('+').unwrap_or(numbers);
        let number = |word: &str| word.trim().parse::<f32>().ok().filter(|v| v.abs() <= MOST);
        let numbers: Option<Vec<f32>> = numbers.split(',').map(number).collect();
        let (place, velocity_m_s) = match numbers.as_deref() {
            Some(&[x, y, z]) => (Vec3::new(x, y, z), None),
            Some(&[x, y, z, vx, vy, vz]) => (Vec3::new(x, y, z), Some(Vec3::new(vx, vy, vz))),
            _ => return Err(wrong()),
        };
        if name.is_empty() || parts.next().is_some() {
            return Err(wrong());
        }
        let handle = Role::from_name(name).map_or_else(|| Handle::Joint(name.to_owned()), Handle::Role);
        let place = if is_offset { Place::Offset(place) } else { Place::World(place) };
        Ok(Self { handle, place, velocity_m_s, at })
    }
}

impl fmt::Display for HandleRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, place) = match self.place {
            Place::World(place) => ("", place),
            Place::Offset(place) => ("+", place),
        };
        write!(f, "{}@{sign}{},{},{}", self.handle, place.x, place.y, place.z)?;
        if let Some(v) = self.velocity_m_s {
            write!(f, ",{},{},{}", v.x, v.y, v.z)?;
        }
        self.at.map_or(Ok(()), |at| write!(f, "@{at}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_written() {
        for text in [
            "rightHand@0.3,1.2,-0.4",
            "leftFoot@+0,0.05,-0.1",
            "mixamorig:Spine2@0,1,0,0.5,0,-1",
            "hips@+0,0,0,1,2,3@33f",
            "head@1,1.5,0@0.75",
        ] {
            let request: HandleRequest = text.parse().unwrap();
            assert_eq!(request.to_string(), text);
        }
        for text in [
            "rightHand",
            "rightHand@1,2",
            "@1,2,3",
            "head@1,2,NaN",
            "head@1,2,1e99",
            "head@1,2,3,4",
            "a@1,2,3@x",
            "a@1,2,3@1@2",
        ] {
            assert!(matches!(text.parse::<HandleRequest>(), Err(EditError::Request { .. })), "{text}");
        }
    }
}
