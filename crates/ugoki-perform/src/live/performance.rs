//! A running live performance and its record.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_base::tracking_loss::LossTracker;
use ugoki_live::StreamFrame;
use ugoki_live::sockets::{RecordError, TimedPoses};

use super::{Proxy, ProxyError};
use crate::{Model, Performance, RunConfig, RunFrame};

/// Most frames that are reported and delays that are kept: an hour. A performance that is sent on continues after it.
const MAX_FRAMES: usize = 216_000;
/// Most notes about tracking during a performance.
const MAX_NOTES: usize = 50;

/// A live performance: a [`Proxy`] with a record of what it did.
pub struct LivePerformance {
    proxy: Proxy,
    max_frames: usize,
    /// Frames after those that are reported.
    unreported: usize,
    /// The actor's poses, where they are kept.
    poses: Option<TimedPoses>,
    /// From arrival to sending; the newest ones.
    delays_ms: Vec<f64>,
    num_delays: usize,
    missing: Vec<Role>,
    losses: LossTracker,
    num_loss_notes: usize,
    has_unusable: bool,
    done: Performance,
}

/// What one frame of the performer gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LiveStep {
    /// Packets for the receiver.
    pub packets: Vec<Vec<u8>>,
    /// What the user should know.
    pub notes: Vec<LiveNote>,
    /// Whether no more poses are kept.
    pub is_full: bool,
}

/// What the user of a live performance should know.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveNote {
    /// The performer has all joints of the model.
    Complete,
    /// The performer lacks joints of the model.
    Missing(Vec<Role>),
    /// A body came that cannot be used.
    Unusable,
    /// Tracking of joints was lost.
    Lost {
        /// Seconds from the first frame.
        t: f64,
        /// The joints.
        roles: Vec<Role>,
        /// Whether later notes of this kind are left out.
        is_last: bool,
    },
    /// Joints are seen again.
    SeenAgain {
        /// Seconds from the first frame.
        t: f64,
        /// The joints.
        roles: Vec<Role>,
        /// Whether later notes of this kind are left out.
        is_last: bool,
    },
    /// An hour is recorded.
    Full,
}

impl fmt::Display for LiveNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |roles: &[Role]| roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
        let last = |is_last: &bool| if *is_last { "; more of this is in the report only" } else { "" };
        match self {
            Self::Complete => f.write_str("the performer has all the model's joints"),
            Self::Missing(roles) => {
                write!(f, "the performer has no {}; continuing without", names(roles))
            }
            Self::Unusable => {
                f.write_str("a body came without hips or any joint of the model; waiting for them")
            }
            Self::Lost { t, roles, is_last } => {
                let (roles, last) = (names(roles), last(is_last));
                write!(f, "{t:.2} s: tracking lost for {roles}; continuing without{last}")
            }
            Self::SeenAgain { t, roles, is_last } => {
                write!(f, "{t:.2} s: seen again: {}{}", names(roles), last(is_last))
            }
            Self::Full => f.write_str("one hour is recorded; the performance ends here"),
        }
    }
}

impl LivePerformance {
    /// A performance of the model on the skeleton `shown`, as [`Proxy::build`]. The actor's poses are kept for
    /// [`LivePerformance::clip`] if `keeps_poses`.
    ///
    /// # Errors
    /// When an actor cannot be moved onto `shown`, or has nothing in common with it.
    pub fn build(
        model: impl Into<Arc<Model>>,
        shown: &Arc<Skeleton>,
        fps: f64,
        config: RunConfig,
        keeps_poses: bool,
    ) -> Result<Self, ProxyError> {
        Ok(Self {
            proxy: Proxy::build(model, shown, fps, config)?,
            max_frames: MAX_FRAMES,
            unreported: 0,
            poses: keeps_poses.then(TimedPoses::default),
            delays_ms: Vec::new(),
            num_delays: 0,
            missing: Vec::new(),
            losses: LossTracker::default(),
            num_loss_notes: 0,
            has_unusable: false,
            done: Performance::default(),
        })
    }

    /// Takes a frame of the performer that arrived at `seconds`.
    pub fn frame(&mut self, frame: &StreamFrame, seconds: f64) -> LiveStep {
        let (packets, found) = self.proxy.frame(frame, seconds);
        let mut step = LiveStep { packets, ..LiveStep::default() };
        if self.missing != self.proxy.missing() {
            self.missing = self.proxy.missing().to_vec();
            step.notes.push(match self.missing.is_empty() {
                true => LiveNote::Complete,
                false => LiveNote::Missing(self.missing.clone()),
            });
        }
        if self.proxy.unusable() > 0 && !self.has_unusable {
            self.has_unusable = true;
            step.notes.push(LiveNote::Unusable);
        }
        let t = self.proxy.time().unwrap_or(0.0);
        self.note_losses(t, &mut step.notes);
        let is_shown = match found {
            Some(found) => {
                self.done.mirrored += usize::from(found.mirrored);
                match self.done.frames.len() < self.max_frames {
                    true => self.done.frames.push(RunFrame::new(self.proxy.model(), &found, t)),
                    false => self.unreported += 1,
                }
                true
            }
            None => {
                self.done.lost += usize::from(frame.moved || self.proxy.held());
                self.done.lost_first += usize::from(frame.moved && self.done.frames.is_empty());
                self.proxy.held()
            }
        };
        if let Some(poses) = self.poses.as_mut().filter(|_| is_shown)
            && !poses.push(t, self.proxy.pose())
        {
            step.notes.push(LiveNote::Full);
            step.is_full = true;
        }
        step
    }

    /// Notes which joints are lost and which are seen again, up to a number of notes.
    fn note_losses(&mut self, t: f64, notes: &mut Vec<LiveNote>) {
        let change = self.losses.update(t, self.proxy.lost());
        let note = |roles: Vec<Role>, is_lost: bool, is_last: bool| match is_lost {
            true => LiveNote::Lost { t, roles, is_last },
            false => LiveNote::SeenAgain { t, roles, is_last },
        };
        for (roles, is_lost) in [(change.lost, true), (change.back, false)] {
            if roles.is_empty() {
                continue;
            }
            self.num_loss_notes += 1;
            match self.num_loss_notes.cmp(&MAX_NOTES) {
                Ordering::Less => notes.push(note(roles, is_lost, false)),
                Ordering::Equal => notes.push(note(roles, is_lost, true)),
                Ordering::Greater => {}
            }
        }
    }

    /// Takes the time from a frame's arrival to the sending of its packets.
    pub fn add_delay(&mut self, delay: Duration) {
        let ms = delay.as_secs_f64() * 1000.0;
        match self.delays_ms.get_mut(self.num_delays % self.max_frames) {
            Some(oldest) => *oldest = ms,
            None => self.delays_ms.push(ms),
        }
        self.num_delays += 1;
    }

    /// Median and 99th percentile of the delays, milliseconds; none before one was taken.
    #[must_use]
    pub fn delays_ms(&self) -> Option<[f64; 2]> {
        Some([quantile(&self.delays_ms, 0.5)?, quantile(&self.delays_ms, 0.99)?])
    }

    /// Frames of the performer whose body could not be used.
    #[must_use]
    pub fn unusable(&self) -> u64 {
        self.proxy.unusable()
    }

    /// Frames that are reported, and how many came after those.
    #[must_use]
    pub fn num_frames(&self) -> [usize; 2] {
        [self.done.frames.len(), self.unreported]
    }

    /// The actor's motion at an even rate; none when no pose was kept.
    ///
    /// # Errors
    /// When the rate is not possible.
    pub fn clip(&self, fps: f64) -> Result<Option<Clip>, RecordError> {
        let poses = self.poses.as_ref().filter(|poses| poses.num_poses() > 0);
        poses.map(|poses| poses.clip(self.proxy.skeleton(), fps)).transpose()
    }

    /// What was done.
    #[must_use]
    pub fn finish(self) -> Performance {
        let missing = self.missing.iter().map(|role| role.name().to_owned()).collect();
        Performance { missing, losses: self.losses.finish(), ..self.done }
    }
}

#[cfg(test)]
mod tests {
    use ugoki_base::no_progress;
    use ugoki_live::{Assembler, encode_frame};

    use super::*;
    use crate::{Imitation, LearnConfig, learn};

    #[test]
    fn a_performance_that_is_sent_on_continues_when_the_report_is_full() {
        let clip = ugoki_sample::clip("punch").unwrap();
        let imitation = Imitation { actor: &clip, performer: Some(&clip) };
        let (model, _) = learn(&[imitation], &LearnConfig::default(), &mut no_progress()).unwrap();
        let shown = ugoki_sample::skeleton();
        let performance = LivePerformance::build(model, &shown, 60.0, RunConfig::default(), false).unwrap();
        // An hour, fast forward: room for 50 frames instead of 216 000.
        let mut performance = LivePerformance { max_frames: 50, ..performance };
        let mut assembler = Assembler::default();
        for number in 0..200 {
            let pose = clip.pose(number % clip.num_frames());
            let packets = encode_frame(clip.skeleton(), &pose, number as f32 / 60.0);
            let whole = packets.iter().flat_map(|packet| assembler.packet(packet)).last();
            let frame = assembler.finish().or(whole).expect("a frame");
            let before: usize = performance.num_frames().iter().sum();
            let step = performance.frame(&frame, number as f64 / 60.0);
            assert!(!step.packets.is_empty() && !step.is_full, "frame {number} is sent");
            assert_eq!(performance.num_frames().iter().sum::<usize>(), before + 1);
            performance.add_delay(Duration::from_millis(number as u64));
        }
        assert_eq!((performance.num_frames()[0], performance.delays_ms.len()), (50, 50));
        assert_eq!(50 + performance.unreported, assembler.counts().frames as usize);
        // The newest delays are kept.
        assert!(performance.delays_ms.iter().all(|&ms| ms >= 149.0), "{:?}", performance.delays_ms);
    }
}
