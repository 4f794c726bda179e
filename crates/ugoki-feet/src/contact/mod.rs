//! Contact: where the floor is, and when each heel and toe stands on it.
//!
//! ```text
//! Clip ─find_feet→ ankle and toe points ─paths→ despiked paths, speeds ─detect→ intervals ─floor→ plane
//! ```
//!
//! A point is in contact when it is slow and bears the body: at some moment of the contact nothing of the
//! body is lower. The height of a contact is its own, so steps and ledges need no common plane; the floor
//! plane is fitted to the contacts afterwards. The method and its constants are in `docs/methods/contact.md`.

mod bytes;
mod coverage;
mod detect;
mod error;
mod feet;
mod floor;
mod intervals;
mod marks;
mod paths;

pub use coverage::ContactCoverage;
#[doc(hidden)]
pub use detect::contact_searches;
pub use detect::{ContactConfig, Contacts, find_contacts};
pub use error::ContactError;
pub use feet::{Feet, Foot, FootPoint, REFERENCE_LEG_M, find_feet};
pub use floor::{Floor, Support, estimate_floor};
pub use marks::{foot_marks, lowest_ground};
pub(crate) use paths::SPEED_HALF_S;
pub use paths::{GLIDES_M_S, LEAVES_M, SOLE_M};
pub use ugoki_base::contact_labels::{FootContacts, FootMark, runs};
