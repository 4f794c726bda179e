//! The real-time form: characters whose steps are steered, one pose per tick.
//!
//! ```text
//! Clip ─Source::build→ feet held, stances, swings with tables ─Repertoire::build→ segments, transitions (shared)
//! Player: put(foot, footfall), request(segment) at any time; tick → edit hips and ankles ─reconstruct→ Pose
//! ```
//!
//! A source is cut in the middle of every flat stance. A foot that stands is moved rigidly; a swing is bent from one
//! placement to the next by the coefficients of its own speed; hips go with both feet. Changed targets and transitions between
//! segments leave a difference, which is added as an offset that fades out. Nothing is allocated after building.

mod course;
mod foot;
mod foot_source;
mod hips;
mod inertialize;
mod interpolate;
mod limits;
mod pace;
mod place;
#[expect(clippy::module_inception, reason = "the module tells the story, the file holds the type")]
mod player;
mod repertoire;
mod source;
mod speed_limits;
mod stand;
mod stepping;
mod swing;
mod toes;
mod transition;

pub use limits::Deviation;
pub use player::{Player, PlayerScratch, Tick};
pub use repertoire::{Repertoire, Segment};
pub use source::Source;
pub use speed_limits::SpeedLimits;
pub use stand::Footfall;

pub(crate) use foot::MOST_AROUND_M;
pub(crate) use foot_source::middle_of_stance;
pub(crate) use limits::HALVINGS;
pub(crate) use player::index;
pub(crate) use source::Landing;
