//! The route through the segments of a repertoire.

use super::repertoire::Repertoire;
use super::source::Source;

/// What is played, and what was requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) shared: &'a Repertoire,
    pub(super) segment: usize,
    pub(super) requested: Option<usize>,
}

impl<'a> Course<'a> {
    pub(super) fn source(&self) -> &'a Source {
        self.shared.source_of(self.segment)
    }

    /// The source's frame at which the segment ends.
    pub(super) fn until(&self) -> f64 {
        self.shared.segments[self.segment].to as f64
    }

    /// Goes to the segment that follows, and says whether it is entered by a jump; nothing follows the last one.
    pub(super) fn follow(&mut self) -> Option<bool> {
        let towards = self.requested.and_then(|segment| self.shared.towards(self.segment, segment));
        let next = towards.or(self.shared.follows[self.segment])?;
        self.requested = self.requested.filter(|requested| *requested != next);
        let (a, b) = (&self.shared.segments[self.segment], &self.shared.segments[next]);
        self.segment = next;
        Some(a.source != b.source || a.to != b.from)
    }
}
