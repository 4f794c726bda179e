//! The programs that send to one port: one body, and faces, eyes and fingers that may come from other programs.
//!
//! Every sender (address and port) has a clock and frames of its own. One of them is the body's; only its frames move
//! the body. Eyes, jaw and fingers that the others send are put into its frames where it has none itself, and pass on
//! by themselves.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use ugoki_base::skeleton::Role;

use crate::{Assembler, Bone, Counts, JitterBuffer, Message, StreamFrame, decode, is_body};

/// How often it is looked at whether a frame is over after which nothing came: a quarter of a frame at 60 per second,
/// the most that a lost packet may delay what did come.
pub(super) const TICK: Duration = Duration::from_millis(4);
/// Packets that wait in a buffer at most: a second of a busy stream.
const MOST_PACKETS: usize = 1024;
/// A sender's clock that goes back by more than this, seconds, was restarted.
const RESTART_S: f64 = 1.0;
/// A body's sender that is silent for so long gives way to another that sends as much of a body: it was started again.
const HANDOVER: Duration = Duration::from_millis(500);

/// All senders to one port.
pub(super) struct Senders {
    delay: Duration,
    sources: Vec<Source>,
    /// Where the body comes from.
    body: Option<SocketAddr>,
    /// Eyes, jaw and fingers as anybody sent them last, and whether that was after the body's last frame.
    apart: Vec<Option<(Bone, bool)>>,
    /// What senders did whose places were given away; frames of bodies that were not the body's.
    gone: Counts,
    crowd: bool,
}

impl Senders {
    /// Senders whose packets are held back by `delay` to be put in order.
    pub(super) fn new(delay: Duration) -> Self {
        let apart = vec![None; Role::ALL.len()];
        Self { delay, sources: Vec::new(), body: None, apart, gone: Counts::default(), crowd: false }
    }

    /// Takes a packet and its sender, or `None`; returns the frames that are complete by `now`.
    pub(super) fn take(&mut self, came: Option<(SocketAddr, &[u8])>, now: Instant) -> Vec<StreamFrame> {
        let mut out = Vec::new();
        if let Some((from, packet)) = came {
            let at = self.find(from, now);
            let frames = self.sources[at].take(Some(packet), now);
            out.extend(frames.into_iter().filter_map(|frame| self.sort(at, frame, now)));
        }
        for at in 0..self.sources.len() {
            let frames = self.sources[at].take(None, now);
            out.extend(frames.into_iter().filter_map(|frame| self.sort(at, frame, now)));
        }
        out
    }

    /// What came so far, of all senders.
    pub(super) fn counts(&self) -> Counts {
        let mut sum = self.gone;
        self.sources.iter().for_each(|source| add(&mut sum, source.assembler.counts()));
        sum.frames -= sum.other_bodies;
        sum
    }

    /// The place of a sender, a new one where it is not known.
    fn find(&mut self, from: SocketAddr, now: Instant) -> usize {
        let mut known = self.sources.iter().position(|source| self.crowd || source.from == from);
        if known.is_none() && self.sources.len() >= MOST_SENDERS {
            let old = |source: &Source| now.duration_since(source.heard) > SILENT;
            let gone = &mut self.gone;
            self.sources.iter().filter(|source| old(source)).for_each(|s| add(gone, s.assembler.counts()));
            self.sources.retain(|source| !old(source));
            self.crowd = self.sources.len() >= MOST_SENDERS;
            known = self.crowd.then_some(0);
        }
        known.unwrap_or_else(|| {
            self.sources.push(Source::new(from, self.delay, now));
            self.sources.len() - 1
        })
    }

    /// A frame of a sender as it is to be used: of the body's sender with everybody's fingers, of others without a
    /// body. `None` where nothing is left.
    fn sort(&mut self, at: usize, mut frame: StreamFrame, now: Instant) -> Option<StreamFrame> {
        if frame.moved && !self.is_body_s(at, &frame, now) {
            self.gone.other_bodies += 1;
            frame.moved = false;
        }
        let apart = || Role::ALL.iter().copied().filter(|role| !is_body(*role)).map(Role::index);
        for role in apart().filter(|role| frame.fresh[*role]) {
            self.apart[role] = frame.bones[role].map(|bone| (bone, true));
        }
        if !frame.moved {
            return (!frame.others.is_empty()).then_some(frame);
        }
        for role in apart() {
            let Some((bone, new)) = &mut self.apart[role] else { continue };
            frame.bones[role] = Some(*bone);
            frame.fresh[role] = std::mem::take(new);
        }
        Some(frame)
    }

    /// Whether a sender that has just sent something of a body is the body's: the one that sends most of one.
    fn is_body_s(&mut self, at: usize, frame: &StreamFrame, now: Instant) -> bool {
        let bones = Role::ALL.iter().filter(|&&role| is_body(role) && frame.bones[role.index()].is_some());
        let joints = bones.count() + frame.trackers.len();
        self.sources[at].bodied = Some((joints, now));
        let from = self.sources[at].from;
        let current = self.sources.iter().find(|source| Some(source.from) == self.body);
        let stays = current.and_then(|source| source.bodied).is_some_and(|(own, heard)| {
            let silent = now.duration_since(heard);
            own > joints && silent <= SILENT || own == joints && silent <= HANDOVER
        });
        if !stays {
            self.body = Some(from);
        }
        self.body == Some(from)
    }
}

/// Most senders that are distinguished, and how long one may be silent before its place is given away. Where there are
/// more, one sends every packet from another port, and all packets are taken for one sender's.
const MOST_SENDERS: usize = 8;
const SILENT: Duration = Duration::from_secs(10);

/// One sender: a face and a body may come from two programs, each with its own clock.
struct Source {
    from: SocketAddr,
    assembler: Assembler,
    order: Option<Order>,
    heard: Instant,
    /// How many joints of a body it sends, and when it last did.
    bodied: Option<(usize, Instant)>,
}

impl Source {
    fn new(from: SocketAddr, delay: Duration, now: Instant) -> Self {
        let order = (!delay.is_zero()).then(|| Order::new(delay, now));
        Self { from, assembler: Assembler::default(), order, heard: now, bodied: None }
    }

    /// Takes a packet, or that nothing more came; gives the frames that are complete.
    fn take(&mut self, packet: Option<&[u8]>, now: Instant) -> Vec<StreamFrame> {
        let Self { assembler, order, heard, .. } = self;
        let mut frames = Vec::new();
        match (order, packet) {
            (None, Some(packet)) => {
                *heard = now;
                frames = assembler.packet(packet);
            }
            (None, None) => {}
            (Some(order), packet) => order.take(packet, now, &mut |packet| {
                *heard = now;
                frames.extend(assembler.packet(packet));
            }),
        }
        if packet.is_none() && now.duration_since(*heard) >= TICK {
            frames.extend(assembler.finish());
        }
        frames
    }
}

fn add(sum: &mut Counts, one: Counts) {
    sum.frames += one.frames;
    sum.refused += one.refused;
    sum.reordered += one.reordered;
    sum.restarts += one.restarts;
    sum.other_bodies += one.other_bodies;
}

/// Packets put in order by the sender's time.
struct Order {
    buffer: JitterBuffer<Vec<u8>>,
    start: Instant,
    /// The sender's time of the packet that came last: packets without one belong to it.
    last: Option<f64>,
}

impl Order {
    fn new(delay: Duration, start: Instant) -> Self {
        let buffer = JitterBuffer::new(delay.as_secs_f64(), MOST_PACKETS);
        Self { buffer, start, last: None }
    }

    /// Takes a packet that came, if one did, and gives those whose time has come.
    fn take(&mut self, packet: Option<&[u8]>, now: Instant, give: &mut dyn FnMut(&[u8])) {
        let now = now.duration_since(self.start).as_secs_f64();
        if let Some(packet) = packet {
            let sent = time_of(packet);
            if let (Some(sent), Some(last)) = (sent, self.last)
                && sent < last - RESTART_S
            {
                // A new start: what still waits is of the old one.
                while let Some(packet) = self.buffer.pop(f64::INFINITY) {
                    give(&packet);
                }
                self.buffer.clear();
            }
            self.last = sent.or(self.last);
            match self.last {
                Some(time) => {
                    // What cannot be put in order goes on as it came: its frame is counted as late, its faces pass.
                    if let Some(late) = self.buffer.push(time, now, packet.to_vec()) {
                        give(&late);
                    }
                }
                None => give(packet),
            }
        }
        while let Some(packet) = self.buffer.pop(now) {
            give(&packet);
        }
    }
}

/// The sender's time in a packet.
fn time_of(packet: &[u8]) -> Option<f64> {
    let (messages, _) = decode(packet).ok()?;
    messages.iter().find_map(|message| match message {
        Message::Time(time) => Some(f64::from(*time)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use crate::{bone_message, encode_messages};

    use super::*;

    fn bones(roles: &[Role], turn: f32) -> Vec<u8> {
        let bone = Bone { position: glam::Vec3::Y, rotation: glam::Quat::from_rotation_x(turn) };
        let messages: Vec<_> = roles.iter().map(|&role| bone_message(role, bone)).collect();
        encode_messages(&messages).swap_remove(0)
    }

    const BODY: [Role; 4] = [Role::Hips, Role::Spine, Role::Head, Role::LeftUpperLeg];
    const FACE: [Role; 2] = [Role::Head, Role::LeftEye];

    #[test]
    fn the_sender_of_most_of_a_body_moves_it_and_yields_when_silent() {
        let from = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut senders = Senders::new(Duration::ZERO);
        let start = Instant::now();
        let at = |senders: &mut Senders, ms: u64, port: u16, roles: &[Role]| {
            let packet = bones(roles, 0.1);
            let now = start + Duration::from_millis(ms);
            // What a sender has sent is a frame after a while without another packet.
            let mut frames = senders.take(Some((from(port), &packet)), now);
            frames.extend(senders.take(None, now + 2 * TICK));
            frames.iter().filter(|frame| frame.moved).count()
        };
        // A face that turns the head comes first and is the body until the body comes.
        assert_eq!(at(&mut senders, 0, 1, &FACE), 1);
        assert_eq!(at(&mut senders, 16, 2, &BODY), 1);
        assert_eq!(at(&mut senders, 32, 1, &FACE), 0);
        assert_eq!(at(&mut senders, 48, 2, &BODY), 1);
        // As much of a body from elsewhere is not used, unless the first has ended: it was restarted.
        assert_eq!(at(&mut senders, 64, 3, &BODY), 0);
        assert_eq!(at(&mut senders, 700, 3, &BODY), 1);
        // A pause of the body is no reason to perform a head.
        assert_eq!(at(&mut senders, 3000, 1, &FACE), 0);
        assert_eq!(at(&mut senders, 20_000, 1, &FACE), 1);
        let counts = senders.counts();
        assert_eq!((counts.frames, counts.other_bodies), (5, 3));
    }

    #[test]
    fn fingers_of_all_senders_are_in_the_body_s_frames() {
        let from = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut senders = Senders::new(Duration::ZERO);
        let now = Instant::now();
        senders.take(Some((from(1), &bones(&[Role::LeftIndexProximal], 0.5))), now);
        let came = |senders: &mut Senders, ms: u64| {
            let now = now + Duration::from_millis(ms);
            let mut frames = senders.take(Some((from(2), &bones(&BODY, 0.1))), now);
            frames.extend(senders.take(None, now + 2 * TICK));
            frames.into_iter().find(|frame| frame.moved).unwrap()
        };
        let finger = Role::LeftIndexProximal.index();
        let first = came(&mut senders, 20);
        assert!(first.bones[finger].is_some_and(|bone| bone.rotation.x > 0.2) && first.fresh[finger]);
        // It stays, though it did not come again.
        let second = came(&mut senders, 40);
        assert!(second.bones[finger].is_some() && !second.fresh[finger]);
    }
}
