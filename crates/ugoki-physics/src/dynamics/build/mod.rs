//! Building a [`Body`] from a skeleton's rest pose and roles.
//!
//! ```text
//! rest        positions by role, checked            anatomy        which way limbs bend
//! limbs       links, joints, segments of mass       anthropometry  de Leva's masses, centres, inertias
//! sole        the foot's shape                      joints         ranges and strengths with sources
//! finish      mass, overrides, loads, numbering     measured_axes  hinge axes that a capture shows
//! ```
//!
//! Every joint of the body is one the skeleton can show: where a role is missing (toes, chest, neck, an arm), the part
//! beyond is welded to the part before it and its mass stays. Hips and two whole legs are required.

mod anatomy;
mod anthropometry;
mod finish;
mod joints;
mod limbs;
mod measured_axes;
mod rest;
mod sole;

use limbs::Builder;
use rest::Rest;
use ugoki_base::skeleton::{Side, Skeleton};

use super::body::{Body, BodyError};
use super::config::BodyConfig;

pub use anthropometry::Proportions;
pub use joints::STANDARD_GRAVITY;
pub use measured_axes::measured_axes;

impl Body {
    /// The body of `skeleton`.
    ///
    /// # Errors
    /// Names the roles that are missing or out of order, limbs without length and impossible settings.
    pub fn build(skeleton: &Skeleton, config: &BodyConfig) -> Result<Self, BodyError> {
        let rest = Rest::new(skeleton, config)?;
        let mut builder = Builder::new(&rest, config);
        builder.trunk();
        builder.arm(Side::Left)?;
        builder.arm(Side::Right)?;
        let left = builder.leg(Side::Left)?;
        let right = builder.leg(Side::Right)?;
        builder.finish([left, right])
    }
}
