//! What players can do: segments of sources, and which may follow which.

use std::collections::VecDeque;

use ugoki_base::math::angle_between;
use ugoki_base::skeleton::Role;

use super::interpolate::Between;
use super::source::Source;
use crate::edit::walk::WalkError;
use crate::reconstruct::Frame;

/// A part of a source between two moments at which it may be left or entered.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The source's name and the segment's number in it.
    pub name: String,
    /// Index of the source.
    pub source: usize,
    /// First frame of the source.
    pub from: usize,
    /// Frame of the source at which it ends.
    pub to: usize,
    /// Cut of the source at the beginning; none at the source's own beginning.
    pub enter: Option<usize>,
    /// Cut of the source at the end; none at the source's own end.
    pub leave: Option<usize>,
}

/// Sources cut into segments, with a table of transitions; built once, never changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Repertoire {
    pub(crate) sources: Vec<Source>,
    pub(crate) segments: Vec<Segment>,
    /// What follows a segment when nothing is asked for.
    pub(crate) follows: Vec<Option<usize>>,
    links: Vec<Vec<usize>>,
    /// For each segment as a goal and each segment, the segment to go to next.
    routes: Vec<Option<u32>>,
    pub(super) frame: Frame,
    pub(super) joints: [usize; 3],
}

/// Segments in one repertoire at most: its routes take a square of them.
const MAX_SEGMENTS: usize = 2048;

impl Repertoire {
    /// Cuts sources, all on one skeleton, in the middle of every flat stance. Each segment goes on to the next of its
    /// source; further transitions are for [`Repertoire::linked`].
    ///
    /// # Errors
    /// When there is no source, skeletons differ, or there are too many segments.
    pub fn build(sources: Vec<Source>) -> Result<Self, WalkError> {
        let Some(first) = sources.first() else { return Err(WalkError::NoSource) };
        let skeleton = first.skeleton.clone();
        if let Some(other) = sources.iter().find(|source| *source.skeleton != *skeleton) {
            return Err(WalkError::Skeletons { first: first.name.clone(), other: other.name.clone() });
        }
        let mut segments = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            let ends = source.cuts.iter().enumerate().map(|(cut, at)| (at.frame, Some(cut)));
            let mut from = (0, None);
            for (number, (frame, cut)) in ends.chain([(source.num_frames - 1, None)]).enumerate() {
                let name = format!("{}:{number}", source.name);
                segments.push(Segment {
                    name,
                    source: index,
                    from: from.0,
                    to: frame,
                    enter: from.1,
                    leave: cut,
                });
                from = (frame, cut);
            }
        }
        if segments.len() > MAX_SEGMENTS {
            return Err(WalkError::TooMany { segments: segments.len(), max: MAX_SEGMENTS });
        }
        let hips = skeleton.find(Role::Hips).ok_or(WalkError::NoHips)?;
        let joints = [hips, first.toes.feet[0].ankle, first.toes.feet[1].ankle];
        let frame = Frame::build(&skeleton, &joints, &first.poles)?;
        let after = |i: usize| -> Option<usize> {
            segments.get(i + 1).filter(|next| next.source == segments[i].source).map(|_| i + 1)
        };
        let follows: Vec<Option<usize>> = (0..segments.len()).map(after).collect();
        let links = follows.iter().map(|next| next.iter().copied().collect()).collect();
        let mut built = Self { sources, segments, follows, links, routes: Vec::new(), frame, joints };
        built.find_routes();
        Ok(built)
    }

    /// The source of a segment.
    pub(super) fn source_of(&self, segment: usize) -> &Source {
        &self.sources[self.segments[segment].source]
    }

    /// The joint that the hips are.
    pub(crate) fn hips(&self) -> usize {
        self.joints[0]
    }

    /// With these transitions too, each from the end of one segment to the start of another. What follows by itself is
    /// the first transition given for a segment that has no next one, or else the source's own next.
    ///
    /// # Errors
    /// When a segment does not exist, or its end and the other's start do not stand on the same foot.
    pub fn linked(mut self, links: &[(usize, usize)]) -> Result<Self, WalkError> {
        for &(from, to) in links {
            let count = self.segments.len();
            if from >= count || to >= count {
                return Err(WalkError::NoSegment { segment: from.max(to), segments: count });
            }
            if !self.fits(from, to) {
                let name = |i: usize| self.segments[i].name.clone();
                return Err(WalkError::NoLink { from: name(from), to: name(to) });
            }
            if !self.links[from].contains(&to) {
                self.links[from].push(to);
            }
            if self.follows[from].is_none() {
                self.follows[from] = Some(to);
            }
        }
        self.find_routes();
        Ok(self)
    }

    /// With `to` following `from` when nothing is asked for; a transition must lead there.
    ///
    /// # Errors
    /// When none does.
    pub fn followed(mut self, from: usize, to: usize) -> Result<Self, WalkError> {
        if !self.links.get(from).is_some_and(|links| links.contains(&to)) {
            return Err(WalkError::NoSegment { segment: from.max(to), segments: self.segments.len() });
        }
        self.follows[from] = Some(to);
        Ok(self)
    }

    /// The segments, in the order of their sources.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The sources.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether segment `to` may follow `from`: it is next, or both meet where the same feet stand.
    #[must_use]
    pub fn fits(&self, from: usize, to: usize) -> bool {
        let (a, b) = (&self.segments[from], &self.segments[to]);
        let cut =
            |segment: &Segment, cut: Option<usize>| cut.map(|cut| &self.sources[segment.source].cuts[cut]);
        let (Some(a), Some(b)) = (cut(a, a.leave), cut(b, b.enter)) else { return false };
        let lands = b.late.is_some() || b.stands[1 - b.foot];
        a.foot == b.foot && a.stands == b.stands && lands
    }

    /// The segment to go to from `from` on the way to `goal`: over as few transitions as possible.
    pub(super) fn towards(&self, from: usize, goal: usize) -> Option<usize> {
        self.routes[goal * self.segments.len() + from].map(|next| next as usize)
    }

    fn find_routes(&mut self) {
        let count = self.segments.len();
        self.routes = vec![None; count * count];
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, links) in self.links.iter().enumerate() {
            links.iter().for_each(|&to| into[to].push(from));
        }
        for goal in 0..count {
            let row = &mut self.routes[goal * count..(goal + 1) * count];
            let mut open = VecDeque::from([goal]);
            while let Some(at) = open.pop_front() {
                for &from in &into[at] {
                    if row[from].is_none() {
                        row[from] = Some(at as u32);
                        open.push_back(from);
                    }
                }
            }
        }
    }

    /// How far two cuts of sources are apart: the joints' turns, radians, as a root mean square, now and a tenth of a second later.
    pub(crate) fn seam(&self, a: (usize, usize), b: (usize, usize)) -> f64 {
        let sources = [a, b].map(|at| &self.sources[at.0]);
        let joints = sources[0].skeleton.num_joints();
        let mut sum = 0.0;
        for ahead_s in [0.0, 0.1] {
            let [x, y] = [(a.1, sources[0]), (b.1, sources[1])].map(|(frame, source)| {
                let frame = frame + (ahead_s * source.fps) as usize;
                Between::new(frame as f64, source.num_frames)
            });
            sum += (0..joints)
                .filter(|&joint| joint != self.joints[0])
                .map(|joint| angle_between(sources[0].rotation(joint, &x), sources[1].rotation(joint, &y)))
                .map(|angle| f64::from(angle).powi(2))
                .sum::<f64>();
        }
        (sum / (2 * joints) as f64).sqrt()
    }
}
