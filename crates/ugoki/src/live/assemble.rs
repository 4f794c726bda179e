//! Frames put together from messages.
//!
//! VMC has no frame marks that every sender keeps. A frame ends when the sender's time comes, when a bone comes a second time, or
//! when the caller says that nothing more is coming. Bones that are missing in a frame keep their last value.

use rosc::OscMessage;

use super::vmc::{Bone, Message};
use crate::skeleton::Role;

/// A frame of a stream: bones by role in their parents' frames.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamFrame {
    /// The sender's seconds, where it says them.
    pub time: Option<f32>,
    /// Where the whole body is.
    pub root: Option<Bone>,
    /// One place per role; `None` for roles never sent.
    pub bones: Vec<Option<Bone>>,
    /// Messages that came with it and are to be passed on, in order.
    pub others: Vec<OscMessage>,
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
    /// Times the sender began anew: its clock went back by more than a second, or its bones changed.
    pub restarts: u64,
}

/// A sender's clock that goes back by more than this, seconds, has begun anew; by less, a packet was late.
const RESTART: f32 = 1.0;

/// Collects messages until a frame is complete.
#[derive(Debug, Clone)]
pub struct Assembler {
    bones: Vec<Option<Bone>>,
    fresh: Vec<bool>,
    root: Option<Bone>,
    time: Option<f32>,
    others: Vec<OscMessage>,
    counts: Counts,
}

impl Default for Assembler {
    fn default() -> Self {
        let roles = Role::ALL.len();
        Self {
            bones: vec![None; roles],
            fresh: vec![false; roles],
            root: None,
            time: None,
            others: Vec::new(),
            counts: Counts::default(),
        }
    }
}

impl Assembler {
    /// Takes a packet's bytes; gives the frames that it completed.
    pub fn packet(&mut self, bytes: &[u8]) -> Vec<StreamFrame> {
        match super::decode(bytes) {
            Ok((messages, refused)) => {
                self.counts.refused += refused.len() as u64;
                messages.into_iter().filter_map(|message| self.message(message)).collect()
            }
            Err(_) => {
                self.counts.refused += 1;
                Vec::new()
            }
        }
    }

    /// Takes one message; gives the frame that it completed.
    pub fn message(&mut self, message: Message) -> Option<StreamFrame> {
        match message {
            Message::Bone(role, bone) => {
                let done = self.fresh[role.index()].then(|| self.finish()).flatten();
                self.bones[role.index()] = Some(bone);
                self.fresh[role.index()] = true;
                done
            }
            Message::Root(bone) => {
                self.root = Some(bone);
                None
            }
            Message::Time(time) => {
                if let Some(before) = self.time {
                    if time < before - RESTART {
                        self.counts.restarts += 1;
                        self.bones.fill(None);
                    } else if time < before {
                        self.counts.reordered += 1;
                        return None;
                    }
                }
                let done = self.finish();
                self.time = Some(time);
                done
            }
            Message::Loaded(_) | Message::Tracker(..) => None,
            Message::Other(message) => {
                self.others.push(message);
                None
            }
        }
    }

    /// The frame so far, if a bone came since the last one.
    pub fn finish(&mut self) -> Option<StreamFrame> {
        if !self.fresh.contains(&true) {
            return None;
        }
        self.fresh.fill(false);
        self.counts.frames += 1;
        Some(StreamFrame {
            time: self.time,
            root: self.root,
            bones: self.bones.clone(),
            others: std::mem::take(&mut self.others),
        })
    }

    /// What happened so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
