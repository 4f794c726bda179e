//! OSC packets taken apart and put together without touching the messages in them.
//!
//! What is only passed on is never decoded and encoded again: text that is no UTF-8, arguments of kinds that we do not
//! know and the last bit of every number arrive as they were sent, and one malformed message does not affect the
//! others.

use rosc::{OscError, OscMessage, OscPacket, OscTime, decoder, encoder};
use ugoki_base::skeleton::Role;

use super::error::VmcError;

/// Bundles in bundles deeper than this are refused.
const MAX_DEPTH: usize = 8;
/// Largest size of a packet written: what fits an Ethernet frame without being split.
const MAX_PACKET: usize = 1400;
/// Most bytes that UDP carries.
const MAX_UDP: usize = 65_507;
const BUNDLE: &[u8] = b"#bundle\0";
/// Bytes of a bundle before its elements: its name and its time.
const HEAD: usize = 16;
/// One in the fraction means "now" in OSC.
const NOW: OscTime = OscTime { seconds: 0, fractional: 1 };

/// A message as it came, to be passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The whole message, encoded.
    pub bytes: Vec<u8>,
    /// Time tag of its bundle; "now" for one without.
    pub time: OscTime,
    /// The eye, jaw or finger that it moves.
    pub role: Option<Role>,
}

impl Passed {
    /// A message of our own, to take effect at once.
    #[must_use]
    pub fn new(message: &OscMessage) -> Self {
        let bytes = encoder::encode(&OscPacket::Message(message.clone())).unwrap_or_default();
        Self { bytes, time: NOW, role: None }
    }

    /// The message in parts; `None` where it has some that we do not know.
    #[must_use]
    pub fn message(&self) -> Option<OscMessage> {
        decode(&self.bytes).ok().flatten()
    }
}

/// Takes the bytes of a message, the time of its bundle, and its parts where all are known.
type Give<'a> = &'a mut dyn FnMut(&[u8], OscTime, Option<OscMessage>);

/// Gives every message of a packet in order, with the time of its bundle; what is none is refused.
pub(super) fn split(packet: &[u8], give: Give<'_>, refused: &mut Vec<VmcError>) {
    element(packet, NOW, 0, give, refused);
}

fn element(bytes: &[u8], time: OscTime, depth: usize, give: Give<'_>, refused: &mut Vec<VmcError>) {
    let cut = || VmcError::Packet("a bundle is cut off".to_owned());
    let Some(rest) = bytes.strip_prefix(BUNDLE) else {
        match decode(bytes) {
            Ok(message) => give(bytes, time, message),
            Err(error) => refused.push(VmcError::Packet(error.to_string())),
        }
        return;
    };
    if depth >= MAX_DEPTH {
        return refused.push(VmcError::Depth);
    }
    let Some((seconds, rest)) = number(rest) else { return refused.push(cut()) };
    let Some((fractional, mut rest)) = number(rest) else { return refused.push(cut()) };
    let time = OscTime { seconds, fractional };
    while !rest.is_empty() {
        let found = number(rest).and_then(|(size, rest)| rest.split_at_checked(size as usize));
        let Some((inner, more)) = found else { return refused.push(cut()) };
        element(inner, time, depth + 1, give, refused);
        rest = more;
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// The message in parts; `None` for one that is OSC but has text or arguments that cannot be read here.
fn decode(bytes: &[u8]) -> Result<Option<OscMessage>, OscError> {
    match decoder::decode_udp(bytes) {
        Ok((_, OscPacket::Message(message))) => Ok(Some(message)),
        Ok((_, OscPacket::Bundle(_))) => Err(OscError::BadPacket("a bundle stands for a message")),
        // Whole words, an address and kinds of arguments: a valid message.
        Err(OscError::StringError(_) | OscError::BadArg(_))
            if bytes.first() == Some(&b'/')
                && bytes.len().is_multiple_of(4)
                && bytes.windows(2).any(|w| w == [0, b',']) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Messages in bundles of packets small enough not to be fragmented, in order and each at its own time.
#[must_use]
pub fn encode_passed<'a>(messages: impl IntoIterator<Item = &'a Passed>) -> Vec<Vec<u8>> {
    encode_led(None, messages)
}

/// The same, every packet beginning with `first`.
pub(super) fn encode_led<'a>(
    first: Option<&Passed>,
    messages: impl IntoIterator<Item = &'a Passed>,
) -> Vec<Vec<u8>> {
    let mut packets: Vec<Vec<u8>> = Vec::new();
    let mut of = None;
    let add = |packet: &mut Vec<u8>, bytes: &[u8]| {
        packet.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        packet.extend_from_slice(bytes);
    };
    for Passed { bytes, time, .. } in messages {
        // What no bundle has room for came without one, or it would not have come.
        if HEAD + 4 + bytes.len() > MAX_UDP {
            packets.push(bytes.clone());
            of = None;
            continue;
        }
        let room = |packet: &&mut Vec<u8>| packet.len() + 4 + bytes.len() <= MAX_PACKET;
        let packet = match packets.last_mut().filter(|_| of == Some(*time)).filter(room) {
            Some(packet) => packet,
            None => {
                let mut packet = Vec::with_capacity(MAX_PACKET);
                packet.extend_from_slice(BUNDLE);
                packet.extend_from_slice(&time.seconds.to_be_bytes());
                packet.extend_from_slice(&time.fractional.to_be_bytes());
                first.iter().for_each(|first| add(&mut packet, &first.bytes));
                packets.push(packet);
                of = Some(*time);
                let last = packets.len() - 1;
                &mut packets[last]
            }
        };
        add(packet, bytes);
    }
    packets
}
