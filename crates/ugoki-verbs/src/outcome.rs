//! How a run ended.

/// How a finished run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Done,
    /// Done, but nothing was found or a check failed.
    NothingFound,
    /// Part of the work failed; the report says which.
    Failed,
}
