//! VMC messages in OSC packets.
//!
//! Unknown addresses and extra arguments are kept or passed over, body messages with too few or wrong arguments are
//! refused one by one, and nothing a packet holds can do more than be refused.

use glam::{Quat, Vec3};
use rosc::{OscMessage, OscType};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Role, Skeleton};

use super::axes::{flip_position, flip_rotation};
use super::error::VmcError;
use super::names::{is_body, role_of, vmc_name};
use super::osc::{Passed, encode_led, encode_passed, split};

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
    State(Passed),
    /// `/VMC/Ext/{Hmd,Con,Tra}/Pos`: a tracker by its serial.
    Tracker(Device, String, Bone),
    /// Anything that is no body bone, to be passed on as it is. Trackers, eyes, jaw and fingers come as this too, after
    /// what they are.
    Other(Passed),
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

/// All messages of a packet in order, and what could not be used.
///
/// # Errors
/// When the packet as a whole is not OSC.
pub fn decode(packet: &[u8]) -> Result<(Vec<Message>, Vec<VmcError>), VmcError> {
    let (mut messages, mut refused, mut unfit) = (Vec::new(), Vec::new(), Vec::new());
    let give = &mut |bytes: &[u8], time, message: Option<OscMessage>| {
        let passed = Passed { bytes: bytes.to_vec(), time, role: None };
        match message {
            Some(message) if !understand(&message, passed, &mut messages) => {
                unfit.push(VmcError::Arguments { address: message.addr });
            }
            Some(_) => {}
            None => messages.push(Message::Other(Passed { bytes: bytes.to_vec(), time, role: None })),
        }
    };
    split(packet, give, &mut refused);
    if messages.is_empty() && unfit.is_empty() && refused.len() == 1 {
        return Err(refused.swap_remove(0));
    }
    refused.extend(unfit);
    Ok((messages, refused))
}

/// Adds what a message says, and itself where it is to be passed on; `false` when its arguments do not fit.
fn understand(message: &OscMessage, mut passed: Passed, messages: &mut Vec<Message>) -> bool {
    let (name, numbers) = match message.args.as_slice() {
        [OscType::String(name), rest @ ..] => (Some(name), rest),
        rest => (None, rest),
    };
    let found = match message.addr.as_str() {
        "/VMC/Ext/Bone/Pos" => match name.map(|name| role_of(name)) {
            None => None,
            // `LastBone` and names of other rigs.
            Some(None) => Some(Message::Other(passed)),
            Some(Some(role)) => {
                let bone = bone(numbers).map(|bone| Message::Bone(role, bone));
                if is_body(role) {
                    bone
                } else {
                    // Eyes, jaw and fingers are used where they can be and passed on as they are.
                    passed.role = Some(role);
                    messages.extend(bone);
                    Some(Message::Other(passed))
                }
            }
        },
        "/VMC/Ext/Root/Pos" => name.and_then(|_| bone(numbers)).map(Message::Root),
        "/VMC/Ext/Hmd/Pos" | "/VMC/Ext/Con/Pos" | "/VMC/Ext/Tra/Pos" => {
            let device = match message.addr.as_str() {
                "/VMC/Ext/Hmd/Pos" => Device::Headset,
                "/VMC/Ext/Con/Pos" => Device::Controller,
                _ => Device::Tracker,
            };
            let tracker = |serial: &String| Some(Message::Tracker(device, serial.clone(), bone(numbers)?));
            messages.extend(name.and_then(tracker));
            // A tracker is no body bone: receivers may want it too.
            Some(Message::Other(passed))
        }
        "/VMC/Ext/T" => match numbers {
            [OscType::Float(t), ..] if t.is_finite() => Some(Message::Time(*t)),
            _ => None,
        },
        "/VMC/Ext/OK" => matches!(numbers, [OscType::Int(_), ..]).then_some(Message::State(passed)),
        _ => Some(Message::Other(passed)),
    };
    let fits = found.is_some();
    messages.extend(found);
    fits
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

/// Packets for one frame: `T` in each of them, `OK`, the root and every bone with a role, each with its rest
/// translation, as receivers that use positions need. A skeleton's joints without roles are carried by their nearest
/// ancestor that has one.
#[must_use]
pub fn encode_frame(skeleton: &Skeleton, pose: &Pose, seconds: f32) -> Vec<Vec<u8>> {
    encode_frame_with(skeleton, pose, seconds, None, &|_| true)
}

/// The same with the `OK` message of the original sender, by which receivers see that tracking is lost, and only of
/// bones that are `wanted`.
#[must_use]
pub fn encode_frame_with(
    skeleton: &Skeleton,
    pose: &Pose,
    seconds: f32,
    state: Option<&Passed>,
    wanted: &dyn Fn(Role) -> bool,
) -> Vec<Vec<u8>> {
    let model = ugoki_base::pose::forward_kinematics(skeleton, pose);
    let loaded = || Passed::new(&message("/VMC/Ext/OK", vec![OscType::Int(1)]));
    // Every packet carries the time, so that receivers notice late ones.
    let time = Passed::new(&message("/VMC/Ext/T", vec![OscType::Float(seconds)]));
    let mut messages = vec![state.cloned().unwrap_or_else(loaded)];
    let origin = Bone { position: Vec3::ZERO, rotation: Quat::IDENTITY };
    let mut root = vec![OscType::String("root".to_owned())];
    root.extend(numbers(origin));
    messages.push(Passed::new(&message("/VMC/Ext/Root/Pos", root)));
    for joint in 0..skeleton.num_joints() {
        let Some(role) = skeleton.joint(joint).role.filter(|role| wanted(*role)) else { continue };
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
        messages.push(Passed::new(&bone_message(role, bone)));
    }
    encode_led(Some(&time), &messages)
}

/// A bone as a message.
#[must_use]
pub fn bone_message(role: Role, bone: Bone) -> OscMessage {
    let mut args = vec![OscType::String(vmc_name(role))];
    args.extend(numbers(bone));
    message("/VMC/Ext/Bone/Pos", args)
}

/// Messages in bundles of packets small enough not to be fragmented, in order.
#[must_use]
pub fn encode_messages(messages: &[OscMessage]) -> Vec<Vec<u8>> {
    encode_passed(&messages.iter().map(Passed::new).collect::<Vec<_>>())
}
