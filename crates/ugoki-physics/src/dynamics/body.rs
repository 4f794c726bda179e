//! The immutable articulated body: a tree of rigid links under a free root.
//!
//! Each link hangs on its parent by one joint. A link's frame has its origin at that joint and, in the skeleton's rest
//! pose, the world's axes; so a link's rotation is the rotation of the skeleton joint it moves with, and `q` = rest
//! means rest. Coordinates are flat `f64` arrays, see [`Body::num_coordinates`] and [`Body::num_dofs`]:
//!
//! ```text
//! q    root x y z | root quaternion x y z w | per ball x y z w | per hinge angle        (7 + 4·balls + hinges)
//! qd   root velocity, world axes | root angular velocity, root axes | per ball angular velocity, child axes | rate
//! tau  conjugate to qd: root force, world axes | root moment, root axes | per ball moment, child axes | moment
//! ```
//!
//! in link order. That is MuJoCo's convention but for the quaternion's order.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::skeleton::{Role, Side, Skeleton};

use super::config::Load;
use super::spatial::{Inertia, Sym3};

/// Why no body can be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Legs are needed: a body without them has nothing to stand on.
    #[error("the skeleton has no {}, a body needs hips and two whole legs", names(roles))]
    Missing {
        /// The roles that no joint has.
        roles: Vec<Role>,
    },
    /// A limb's joints hang on each other.
    #[error("joint {role} is not below {above}")]
    NotBelow {
        /// The joint that hangs elsewhere.
        role: Role,
        /// The joint it should hang on.
        above: Role,
    },
    /// A limb without length has no inertia.
    #[error("the limb at {role} is {metres} m long, expected at least {MIN_LENGTH} m")]
    Short {
        /// Role at the limb's start.
        role: Role,
        /// Its length.
        metres: f64,
    },
    /// Masses are positive and finite.
    #[error("a mass of {mass_kg} kg for {what} is not possible")]
    Mass {
        /// What was to have that mass.
        what: String,
        /// The mass given.
        mass_kg: f64,
    },
    /// Masses given link by link leave nothing for the other links.
    #[error("the links given take {sum_kg} kg of {mass_kg} kg and leave nothing for the others")]
    LinkMasses {
        /// Sum of the masses given.
        sum_kg: f64,
        /// The whole body's mass.
        mass_kg: f64,
    },
    /// A role that carries no link or joint of this body.
    #[error("the body has nothing at {role}")]
    Nowhere {
        /// The role asked for.
        role: Role,
    },
    /// A number that must be finite, or a range that must not be empty.
    #[error("{what} of {role} is not possible")]
    Impossible {
        /// The link.
        role: Role,
        /// What was wrong.
        what: &'static str,
    },
}

/// Limbs shorter than this, metres, are an error in the skeleton or its unit.
pub(super) const MIN_LENGTH: f64 = 0.01;

fn names(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}

/// How a link moves against its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// The root: six degrees of freedom against the world.
    Free,
    /// Three rotations.
    Ball,
    /// One rotation about [`Link::axis`].
    Hinge,
}

/// How far a joint can go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limits {
    /// The root has none.
    Free,
    /// Swing and twist about the middle of the range.
    Ball(BallRange),
    /// Angles of the hinge, radians.
    Hinge {
        /// Least angle.
        low: f64,
        /// Greatest angle.
        high: f64,
    },
}

/// A ball joint's range: an ellipse of swings and an interval of twists about a central orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallRange {
    /// `parent_from_link` in the middle of the range.
    pub centre: DQuat,
    /// Columns in the parent's frame, unit: axis of flexion, of abduction, of internal rotation. The last is the
    /// twist's; a spine bends and turns to the left.
    pub axes: DMat3,
    /// Least flexion, abduction, internal rotation from the centre, radians.
    pub low: DVec3,
    /// Greatest, radians.
    pub high: DVec3,
}

/// Greatest torques of a joint in its anatomical directions, N·m; hinges use the first component only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Rows: the anatomical axes in the link's frame, so that it maps `tau` to anatomical components.
    pub anatomical_from_link: DMat3,
    /// Against flexion, abduction, internal rotation; positive numbers.
    pub negative: DVec3,
    /// Along them.
    pub positive: DVec3,
}

/// One rigid link and the joint by which it hangs on its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The role of its joint: `Hips` is the pelvis, `Spine` the torso, `Neck` the head.
    pub role: Role,
    /// Index of the parent, which stands earlier; `None` for the root.
    pub parent: Option<usize>,
    /// How it moves.
    pub joint: JointKind,
    /// Origin in the parent's frame, m; for the root its rest position in the world.
    pub offset: DVec3,
    /// A hinge's unit axis, the same in the parent's and the link's frame; zero for other joints.
    pub axis: DVec3,
    /// Where its coordinates start in `q`.
    pub coordinate: usize,
    /// Where its degrees of freedom start in `qd` and `tau`.
    pub dof: usize,
    /// Mass and inertia about the origin, loads included.
    pub inertia: Inertia,
    /// The skeleton joint at the origin.
    pub origin_joint: usize,
    /// The skeleton joint whose rotation is the link's; the topmost of the trunk for the torso.
    pub frame_joint: usize,
    /// Far end of the limb in the link's frame, m.
    pub end: DVec3,
    /// Radius of a capsule from the origin to `end` with the link's volume, m.
    pub radius: f64,
    /// Corners of the part of the sole on this link, in its frame, m; empty but for feet and toes.
    pub sole: Vec<DVec3>,
    /// How far the joint can go.
    pub limits: Limits,
    /// How strong the joint is.
    pub strength: Strength,
}

impl Link {
    /// Coordinates in `q`: 7, 4 or 1.
    #[must_use]
    pub fn num_coordinates(&self) -> usize {
        match self.joint {
            JointKind::Free => 7,
            JointKind::Ball => 4,
            JointKind::Hinge => 1,
        }
    }

    /// Its degrees of freedom in `qd` and `tau`.
    #[must_use]
    pub fn dofs(&self) -> std::ops::Range<usize> {
        self.dof..self.dof + self.num_dofs()
    }

    /// Degrees of freedom: 6, 3 or 1.
    #[must_use]
    pub fn num_dofs(&self) -> usize {
        match self.joint {
            JointKind::Free => 6,
            JointKind::Ball => 3,
            JointKind::Hinge => 1,
        }
    }
}

/// The links of one foot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foot {
    /// Which foot.
    pub side: Side,
    /// The link below the ankle.
    pub foot: usize,
    /// The link of the toes, where the skeleton has them.
    pub toes: Option<usize>,
}

/// An articulated human body; built once, never changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    pub(super) links: Vec<Link>,
    pub(super) feet: [Foot; 2],
    pub(super) num_coordinates: usize,
    pub(super) num_dofs: usize,
    pub(super) stature: f64,
    pub(super) gravity: DVec3,
    /// For each degree of freedom the next one towards the root; its own index for the first.
    pub(super) dof_parents: Vec<usize>,
    /// For each skeleton joint its link and its rest position in that link's frame.
    pub(super) joint_places: Vec<(usize, DVec3)>,
}

impl Body {
    /// All links, parents before children; link 0 is the root.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One link.
    ///
    /// # Panics
    /// If there is no such link.
    #[must_use]
    pub fn link(&self, link: usize) -> &Link {
        &self.links[link]
    }

    /// The link whose joint has this role.
    #[must_use]
    pub fn find(&self, role: Role) -> Option<usize> {
        self.links.iter().position(|link| link.role == role)
    }

    /// The two feet, left first.
    #[must_use]
    pub fn feet(&self) -> &[Foot; 2] {
        &self.feet
    }

    /// Length of `q`.
    #[must_use]
    pub fn num_coordinates(&self) -> usize {
        self.num_coordinates
    }

    /// Length of `qd`, `qdd` and `tau`: 36 on a whole skeleton.
    #[must_use]
    pub fn num_dofs(&self) -> usize {
        self.num_dofs
    }

    /// Mass with all loads, kg.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|link| link.inertia.mass).sum()
    }

    /// Stature that scaled what the skeleton does not show, m.
    #[must_use]
    pub fn stature(&self) -> f64 {
        self.stature
    }

    /// Acceleration of free fall, m/s², world axes.
    #[must_use]
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// The link that carries skeleton joint `joint`, and where the joint lies in the link's frame in rest, m.
    #[must_use]
    pub fn place_of_joint(&self, joint: usize) -> (usize, DVec3) {
        self.joint_places[joint]
    }

    /// The same body with more masses welded on; `skeleton` is the one it was built from.
    ///
    /// # Errors
    /// When a load's mass, size or place is impossible.
    pub fn with_loads(&self, skeleton: &Skeleton, loads: &[Load]) -> Result<Self, BodyError> {
        let mut body = self.clone();
        for load in loads {
            let joint = skeleton.find(load.role).ok_or(BodyError::Nowhere { role: load.role })?;
            let (link, at) = *self.joint_places.get(joint).ok_or(BodyError::Nowhere { role: load.role })?;
            if !(load.mass_kg >= 0.0 && load.mass_kg.is_finite()) {
                return Err(BodyError::Mass {
                    what: format!("the load at {}", load.role),
                    mass_kg: load.mass_kg,
                });
            }
            let offset = DVec3::from_array(load.offset_m);
            if !(offset.is_finite() && load.radius_m >= 0.0 && load.radius_m.is_finite()) {
                return Err(BodyError::Impossible { role: load.role, what: "the place or size of the load" });
            }
            // A solid ball: ⅖ m r².
            let j = Sym3::diagonal(DVec3::splat(0.4 * load.mass_kg * load.radius_m * load.radius_m));
            body.links[link].inertia += Inertia::new(load.mass_kg, at + offset, j);
        }
        Ok(body)
    }
}
