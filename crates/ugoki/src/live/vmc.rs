//! VMC messages in OSC packets.
//!
//! Unknown addresses and extra arguments are kept or passed over, messages with too few or wrong arguments are
//! refused one by one, and nothing a packet holds can do more than be refused.

use glam::{Quat, Vec3};
use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType, decoder, encoder};

use super::axes::{flip_position, flip_rotation};
use super::names::{role_of, vmc_name};
use crate::pose::Pose;
use crate::skeleton::{Role, Skeleton};

/// Bundles in bundles deeper than this are refused.
const MAX_DEPTH: usize = 8;
/// Largest size of a packet written: what fits an Ethernet frame without being split.
const MAX_PACKET: usize = 1400;

/// Where a bone is in its parent's frame, in our axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bone {
    /// Metres.
    pub position: Vec3,
    /// Unit.
    pub rotation: Quat,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// `/VMC/Ext/Bone/Pos`
    Bone(Role, Bone),
    /// `/VMC/Ext/Root/Pos`
    Root(Bone),
    /// `/VMC/Ext/T`: the sender's seconds.
    Time(f32),
    /// `/VMC/Ext/OK`: whether a model is loaded, and what else the sender says of its state.
    State(OscMessage),
    /// `/VMC/Ext/{Hmd,Con,Tra}/Pos`: a tracker by its serial.
    Tracker(Device, String, Bone),
    /// Anything else, to be passed on as it is.
    Other(OscMessage),
}

/// What a tracker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// On the head.
    Headset,
    /// In a hand.
    Controller,
    /// Anywhere.
    Tracker,
}

/// Why a packet or message is of no use.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VmcError {
    /// Not OSC.
    #[error("the packet is not OSC: {0}")]
    Packet(String),
    /// A known address with arguments that do not fit.
    #[error("{address} has arguments that do not fit")]
    Arguments {
        /// The address.
        address: String,
    },
    /// Bundles nested too deep.
    #[error("bundles are nested more than 8 deep")]
    Depth,
}

/// All messages of a packet in order, and what could not be used.
///
/// # Errors
/// When the packet as a whole is not OSC.
pub fn decode(packet: &[u8]) -> Result<(Vec<Message>, Vec<VmcError>), VmcError> {
    let (_, packet) = decoder::decode_udp(packet).map_err(|error| VmcError::Packet(error.to_string()))?;
    let (mut messages, mut refused) = (Vec::new(), Vec::new());
    take(packet, 0, &mut messages, &mut refused);
    Ok((messages, refused))
}

fn take(packet: OscPacket, depth: usize, messages: &mut Vec<Message>, refused: &mut Vec<VmcError>) {
    match packet {
        OscPacket::Bundle(_) if depth >= MAX_DEPTH => refused.push(VmcError::Depth),
        OscPacket::Bundle(bundle) => {
            for inner in bundle.content {
                take(inner, depth + 1, messages, refused);
            }
        }
        OscPacket::Message(message) => match understand(&message) {
            Some(Ok(known)) => {
                let tracker = matches!(known, Message::Tracker(..));
                messages.push(known);
                // A tracker is no body bone: receivers may want it too.
                if tracker {
                    messages.push(Message::Other(message));
                }
            }
            Some(Err(error)) => refused.push(error),
            None => messages.push(Message::Other(message)),
        },
    }
}

/// `None` for addresses that are only passed on.
fn understand(message: &OscMessage) -> Option<Result<Message, VmcError>> {
    let wrong = || VmcError::Arguments { address: message.addr.clone() };
    let args = message.args.as_slice();
    let found = match message.addr.as_str() {
        "/VMC/Ext/Bone/Pos" => match args {
            [OscType::String(name), rest @ ..] => match role_of(name) {
                // `LastBone` and names of other rigs are passed on.
                None => return None,
                Some(role) => bone(rest).map(|bone| Message::Bone(role, bone)),
            },
            _ => None,
        },
        "/VMC/Ext/Root/Pos" => match args {
            [OscType::String(_), rest @ ..] => bone(rest).map(Message::Root),
            _ => None,
        },
        "/VMC/Ext/Hmd/Pos" | "/VMC/Ext/Con/Pos" | "/VMC/Ext/Tra/Pos" => match args {
            [OscType::String(serial), rest @ ..] => {
                let device = match message.addr.as_str() {
                    "/VMC/Ext/Hmd/Pos" => Device::Headset,
                    "/VMC/Ext/Con/Pos" => Device::Controller,
                    _ => Device::Tracker,
                };
                bone(rest).map(|bone| Message::Tracker(device, serial.clone(), bone))
            }
            _ => None,
        },
        "/VMC/Ext/T" => match args {
            [OscType::Float(t), ..] if t.is_finite() => Some(Message::Time(*t)),
            _ => None,
        },
        "/VMC/Ext/OK" => match args {
            [OscType::Int(_), ..] => Some(Message::State(message.clone())),
            _ => None,
        },
        _ => return None,
    };
    Some(found.ok_or_else(wrong))
}

/// px py pz qx qy qz qw in Unity's axes; `None` unless finite and a rotation.
fn bone(args: &[OscType]) -> Option<Bone> {
    let mut v = [0.0_f32; 7];
    for (place, arg) in v.iter_mut().zip(args.get(..7)?) {
        *place = match arg {
            OscType::Float(f) if f.is_finite() => *f,
            _ => return None,
        };
    }
    let q = Quat::from_xyzw(v[3], v[4], v[5], v[6]);
    // A zero quaternion turns nothing; senders use it for bones they do not have.
    let rotation = if q.length_squared() > 1e-6 { q.normalize() } else { return None };
    Some(Bone { position: flip_position(Vec3::new(v[0], v[1], v[2])), rotation: flip_rotation(rotation) })
}

fn numbers(bone: Bone) -> impl Iterator<Item = OscType> {
    let (p, q) = (flip_position(bone.position), flip_rotation(bone.rotation));
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w].into_iter().map(OscType::Float)
}

fn message(addr: &str, args: Vec<OscType>) -> OscMessage {
    OscMessage { addr: addr.to_owned(), args }
}

/// Packets for one frame: `OK`, `T`, the root and every bone with a role, each with its rest translation, as receivers
/// that use positions need. A skeleton's joints without roles are carried by their nearest ancestor that has one.
#[must_use]
pub fn encode_frame(skeleton: &Skeleton, pose: &Pose, seconds: f32) -> Vec<Vec<u8>> {
    encode_frame_with(skeleton, pose, seconds, None)
}

/// The same with the `OK` of whoever the frame is sent on for; receivers see by it that tracking is lost.
#[must_use]
pub fn encode_frame_with(
    skeleton: &Skeleton,
    pose: &Pose,
    seconds: f32,
    state: Option<&OscMessage>,
) -> Vec<Vec<u8>> {
    let model = crate::pose::forward_kinematics(skeleton, pose);
    let mut messages = vec![
        state.cloned().unwrap_or_else(|| message("/VMC/Ext/OK", vec![OscType::Int(1)])),
        message("/VMC/Ext/T", vec![OscType::Float(seconds)]),
    ];
    let origin = Bone { position: Vec3::ZERO, rotation: Quat::IDENTITY };
    let mut root = vec![OscType::String("root".to_owned())];
    root.extend(numbers(origin));
    messages.push(message("/VMC/Ext/Root/Pos", root));
    for joint in 0..skeleton.num_joints() {
        let Some(role) = skeleton.joint(joint).role else { continue };
        let mut above = skeleton.parent(joint);
        while let Some(parent) = above.filter(|&parent| skeleton.joint(parent).role.is_none()) {
            above = skeleton.parent(parent);
        }
        let bone = match above {
            Some(parent) => {
                let back = model.rotations[parent].conjugate();
                Bone {
                    position: back * (model.positions[joint] - model.positions[parent]),
                    rotation: (back * model.rotations[joint]).normalize(),
                }
            }
            None => Bone { position: model.positions[joint], rotation: model.rotations[joint] },
        };
        messages.push(bone_message(role, bone));
    }
    encode_messages(&messages)
}

/// A bone as a message, for those that pass through.
#[must_use]
pub fn bone_message(role: Role, bone: Bone) -> OscMessage {
    let mut args = vec![OscType::String(vmc_name(role))];
    args.extend(numbers(bone));
    message("/VMC/Ext/Bone/Pos", args)
}

/// Messages in bundles of packets small enough not to be split on the way, in order.
#[must_use]
pub fn encode_messages(messages: &[OscMessage]) -> Vec<Vec<u8>> {
    // A bundle is "#bundle\0", eight bytes of time, and each element after its four-byte length.
    let head = 16;
    let mut packets = Vec::new();
    let mut content: Vec<OscPacket> = Vec::new();
    let mut size = head;
    for message in messages {
        let packet = OscPacket::Message(message.clone());
        let Ok(bytes) = encoder::encode(&packet) else { continue };
        if size + 4 + bytes.len() > MAX_PACKET && !content.is_empty() {
            packets.extend(bundle(std::mem::take(&mut content)));
            size = head;
        }
        size += 4 + bytes.len();
        content.push(packet);
    }
    if !content.is_empty() {
        packets.extend(bundle(content));
    }
    packets
}

fn bundle(content: Vec<OscPacket>) -> Option<Vec<u8>> {
    // Time 0.1 (one in the fraction) means "now" in OSC.
    let timetag = OscTime { seconds: 0, fractional: 1 };
    encoder::encode(&OscPacket::Bundle(OscBundle { timetag, content })).ok()
}
