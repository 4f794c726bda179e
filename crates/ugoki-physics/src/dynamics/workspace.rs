//! Scratch of the algorithms: made once per body, so that running them allocates nothing.

use glam::{DMat3, DVec3};

use super::body::Body;
use super::kinematics::Kinematics;
use super::spatial::{Force, Inertia, Motion, Sym3};

/// Scratch for one body; any algorithm may use it after any other.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(super) kinematics: Kinematics,
    pub(super) links: Vec<LinkScratch>,
}

/// One link's scratch, world axes, about the link's origin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinkScratch {
    /// Spatial acceleration.
    pub(super) a: Motion,
    /// Force through the joint; in `aba` the bias force.
    pub(super) f: Force,
    /// Rigid inertia, or the composite one.
    pub(super) inertia: Inertia,
    /// Articulated inertia: angular block, angular–linear block, linear block.
    pub(super) aa: Sym3,
    pub(super) al: DMat3,
    pub(super) ll: Sym3,
    /// Inverse of the joint's inertia: a matrix for a ball, `xx` for a hinge.
    pub(super) inverse: Sym3,
    /// Torque left for the joint, world axes; `x` for a hinge.
    pub(super) u: DVec3,
    /// Articulated inertia times a hinge's axis.
    pub(super) uh: Force,
}

impl Workspace {
    /// Scratch for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        Self { kinematics: Kinematics::new(body), links: vec![LinkScratch::default(); body.links().len()] }
    }

    /// Scratch space for placing the links by hand; every algorithm overwrites it.
    pub fn kinematics_mut(&mut self) -> &mut Kinematics {
        &mut self.kinematics
    }

    /// The links as the last algorithm placed them.
    #[must_use]
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }
}
