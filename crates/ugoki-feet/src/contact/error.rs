//! Why a clip has no contacts.

use ugoki_base::skeleton::Role;

/// Why a clip has no contacts to find.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// A leg is not known.
    #[error("no joint has the role {role}")]
    NoJoint {
        /// The role missing.
        role: Role,
    },
    /// All leg joints lie on one point.
    #[error("the legs have no length")]
    NoLength,
    /// Nothing but perhaps an added T-pose.
    #[error("the clip has no frames of motion")]
    NoFrames,
}
