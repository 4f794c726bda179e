//! Frames put together from messages.
//!
//! VMC has no frame marks that every sender keeps. A frame ends when every bone has come that came in the frames
//! before, when the sender's time comes, when a bone of the body comes a second time, or when the caller says that
//! nothing more is coming. The first of these matters: most senders put the time first, and waiting for the next would
//! cost a whole frame. Bones that are missing in a frame keep their last value.

use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Role, Skeleton};

use super::names::is_body;
use super::osc::Passed;
use super::vmc::{Bone, Device, Message};

/// A frame of a stream: bones by role in their parents' frames.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamFrame {
    /// The sender's seconds, where it says them.
    pub time: Option<f32>,
    /// Where the whole body is.
    pub root: Option<Bone>,
    /// One place per role; `None` for roles never sent.
    pub bones: Vec<Option<Bone>>,
    /// Which of them came with this frame; the others are as they were.
    pub fresh: Vec<bool>,
    /// Trackers by kind and serial, where they are in the world, in the order in which they were first sent.
    pub trackers: Vec<(Device, String, Bone)>,
    /// Which of them came since the body's frame before.
    pub fresh_trackers: Vec<bool>,
    /// What the sender last said of its state: `/VMC/Ext/OK`.
    pub state: Option<Passed>,
    /// Messages that came with it and are to be passed on, in order.
    pub others: Vec<Passed>,
    /// Whether a bone of the body came, or a tracker where there are none; else only `others` did, eyes and fingers
    /// among them, and the body is as before.
    pub moved: bool,
}

/// What happened to a stream so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Frames completed.
    pub frames: u64,
    /// Packets that were not OSC, and messages that could not be used.
    pub refused: u64,
    /// Packets with an older time than one seen before.
    pub reordered: u64,
    /// Times the sender restarted: its clock went back by more than a second, or went on from an earlier time.
    pub restarts: u64,
    /// Frames of a body that another sender than the body's sent; they are not used.
    pub other_bodies: u64,
}

/// A sender's clock that goes back by more than this, seconds, has restarted; by less, a packet was late.
const RESTART: f32 = 1.0;
/// Frames without a bone after which it is no more waited for: half a second at the usual 60 per second.
const FORGET: usize = 30;
/// Messages to pass on that are held at most until a frame is complete: a face has about a hundred.
const MOST_OTHERS: usize = 256;

/// Times that go on behind one seen before, after which the sender has restarted though its clock went back by less: no
/// network delays four frames in a row and brings them in order.
const BEHIND: usize = 4;
/// Trackers that are kept: no performer wears more.
const MOST_TRACKERS: usize = 32;

/// Collects messages until a frame is complete.
#[derive(Debug, Clone)]
pub struct Assembler {
    bones: Vec<Option<Bone>>,
    fresh: Vec<bool>,
    /// Bones that a frame is made of, and for how many frames some of them have been missing.
    usual: Vec<bool>,
    missing: usize,
    root: Option<Bone>,
    time: Option<f32>,
    /// The last time that was behind, and how many have gone on from it; bones that follow such a time are too late.
    behind: Option<(f32, usize)>,
    trackers: Vec<(Device, String, Bone)>,
    tracked: Vec<bool>,
    state: Option<Passed>,
    /// Whether the state came after the last frame with a body.
    state_seen: bool,
    others: Vec<Passed>,
    counts: Counts,
}

impl Default for Assembler {
    fn default() -> Self {
        let roles = Role::ALL.len();
        Self {
            bones: vec![None; roles],
            fresh: vec![false; roles],
            usual: vec![false; roles],
            missing: 0,
            root: None,
            time: None,
            behind: None,
            trackers: Vec::new(),
            tracked: Vec::new(),
            state: None,
            state_seen: false,
            others: Vec::new(),
            counts: Counts::default(),
        }
    }
}

impl Assembler {
    /// Takes a packet's bytes; gives the frames that it completed.
    pub fn packet(&mut self, bytes: &[u8]) -> Vec<StreamFrame> {
        let Ok((messages, refused)) = super::decode(bytes) else {
            self.counts.refused += 1;
            return Vec::new();
        };
        self.counts.refused += refused.len() as u64;
        let mut frames = Vec::new();
        for message in messages {
            frames.extend(self.message(message));
        }
        let complete = || self.usual.iter().zip(&self.fresh).all(|(usual, fresh)| *fresh || !*usual);
        if self.usual.contains(&true) && complete() {
            frames.extend(self.complete());
        }
        frames
    }

    /// Takes a pose as if it had been sent at `seconds`, with the roles that `is_sent`; gives its frame, if any role is
    /// sent.
    pub fn pose(
        &mut self,
        skeleton: &Skeleton,
        pose: &Pose,
        seconds: f32,
        is_sent: &dyn Fn(Role) -> bool,
    ) -> Option<StreamFrame> {
        let packets = super::encode_frame_with(skeleton, pose, seconds, None, is_sent);
        let whole = packets.iter().flat_map(|packet| self.packet(packet)).last();
        self.finish().or(whole)
    }

    /// Takes one message; gives the frame that it completed.
    pub fn message(&mut self, message: Message) -> Option<StreamFrame> {
        let body = matches!(
            message,
            Message::Bone(..) | Message::Root(_) | Message::Tracker(..) | Message::State(_)
        );
        if body && self.behind.is_some() {
            // What follows a time that has passed is of a frame that has been shown.
            return None;
        }
        match message {
            Message::Bone(role, bone) => {
                // Eyes and fingers may come more often than the body; they make no frame of it.
                let again = self.fresh[role.index()] && is_body(role);
                let done = again.then(|| self.complete()).flatten();
                self.bones[role.index()] = Some(bone);
                self.fresh[role.index()] = true;
                done
            }
            Message::Root(bone) => {
                self.root = Some(bone);
                None
            }
            Message::Time(time) => self.clock(time),
            Message::State(message) => {
                self.state = Some(message);
                self.state_seen = true;
                None
            }
            Message::Tracker(device, serial, bone) => self.track(device, serial, bone),
            Message::Other(message) => {
                self.others.push(message);
                (self.others.len() >= MOST_OTHERS).then(|| self.complete()).flatten()
            }
        }
    }

    fn clock(&mut self, time: f32) -> Option<StreamFrame> {
        if self.time == Some(time) {
            // Another packet of the frame.
            self.behind = None;
            return None;
        }
        if self.behind.is_some_and(|(last, _)| last == time) {
            // Another packet of a frame that is late.
            return None;
        }
        if let Some(before) = self.time.filter(|before| time < *before) {
            let (last, count) = self.behind.unwrap_or((f32::NEG_INFINITY, 0));
            let count = if time > last { count + 1 } else { 1 };
            if time >= before - RESTART && count < BEHIND {
                self.counts.reordered += 1;
                self.behind = Some((time, count));
                return None;
            }
            self.counts.restarts += 1;
            self.bones.fill(None);
            self.usual.fill(false);
            self.trackers.clear();
            self.tracked.clear();
        }
        self.behind = None;
        let done = self.complete();
        self.time = Some(time);
        done
    }

    fn track(&mut self, device: Device, serial: String, bone: Bone) -> Option<StreamFrame> {
        let known = self.trackers.iter().position(|(kind, name, _)| (*kind, name) == (device, &serial));
        match known {
            Some(at) => {
                // Where there are bones, they say when a frame is over.
                let over = self.tracked[at] && !self.has_bones();
                let done = over.then(|| self.complete()).flatten();
                self.trackers[at].2 = bone;
                self.tracked[at] = true;
                done
            }
            None if self.trackers.len() < MOST_TRACKERS => {
                self.trackers.push((device, serial, bone));
                self.tracked.push(true);
                None
            }
            None => None,
        }
    }

    /// Whether bones of the body are sent; eyes and fingers may come with trackers.
    fn has_bones(&self) -> bool {
        Role::ALL.iter().any(|&role| is_body(role) && self.bones[role.index()].is_some())
    }

    /// The frame so far, when nothing more is coming. A state that came without a body, as from a program that sends a
    /// face alone, is passed on by itself.
    pub fn finish(&mut self) -> Option<StreamFrame> {
        if let Some(frame) = self.complete() {
            return Some(frame);
        }
        self.others.extend(self.state.clone().filter(|_| self.state_seen));
        self.state_seen = false;
        self.complete()
    }

    /// The frame so far, if the body moved since the last one or there is something to pass on.
    fn complete(&mut self) -> Option<StreamFrame> {
        let bones = self.fresh.contains(&true);
        let body = Role::ALL.iter().any(|&role| is_body(role) && self.fresh[role.index()]);
        let moved = body || self.tracked.contains(&true) && !self.has_bones();
        if !moved && self.others.is_empty() {
            return None;
        }
        self.counts.frames += u64::from(moved);
        let fresh = self.fresh.clone();
        self.state_seen &= !moved;
        if bones {
            self.learn_bones();
            self.fresh.fill(false);
        }
        let fresh_trackers = self.tracked.clone();
        if moved {
            self.tracked.fill(false);
        }
        Some(StreamFrame {
            time: self.time,
            root: self.root,
            bones: self.bones.clone(),
            fresh,
            trackers: self.trackers.clone(),
            fresh_trackers,
            state: self.state.clone(),
            others: std::mem::take(&mut self.others),
            moved,
        })
    }

    /// Learns which bones make a frame: those of the fullest frames of late. Bones that come alone belong to the frame
    /// before.
    fn learn_bones(&mut self) {
        let pairs = || self.usual.iter().zip(&self.fresh);
        let whole = pairs().all(|(usual, fresh)| *fresh || !*usual);
        let apart = pairs().all(|(usual, fresh)| !(*usual && *fresh));
        self.missing = if whole { 0 } else { self.missing + 1 };
        if whole || self.missing >= FORGET {
            self.usual.copy_from_slice(&self.fresh);
            self.missing = 0;
        } else if apart {
            self.usual.iter_mut().zip(&self.fresh).for_each(|(usual, fresh)| *usual |= *fresh);
        }
    }

    /// What happened so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
