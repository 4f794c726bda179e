//! What a live performance passes on: everything that is no body bone goes out bit for bit as it came in, and in order.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use ugoki_base::no_progress;

use rosc::{OscArray, OscColor, OscMessage, OscMidiMessage, OscTime, OscType};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::skeleton::{Joint, Role, Skeleton};
use ugoki_live::sockets::{Receiver, Sender};
use ugoki_live::{
    Assembler, Bone, Message, Passed, bone_message, decode, encode_frame, encode_passed, is_body,
};
use ugoki_perform::live::Proxy;
use ugoki_perform::{Imitation, LearnConfig, RunConfig, learn};
use ugoki_sample as sample;

const SEED: u64 = 20_261_117;

fn proxy(actor: &Clip) -> Proxy {
    let go_on = &mut no_progress();
    let imitation = Imitation { actor, performer: Some(actor) };
    let (model, _) = learn(&[imitation], &LearnConfig::default(), go_on).unwrap();
    Proxy::build(model, &sample::skeleton(), actor.fps(), RunConfig::default()).unwrap()
}

/// Eyes, jaw and fingers: what an actor of the sample has not.
fn apart() -> Vec<Role> {
    let skeleton = sample::skeleton();
    Role::ALL.iter().copied().filter(|role| !is_body(*role) && skeleton.find(*role).is_none()).collect()
}

/// A message that is no body bone, of any kind that senders send and some that none does.
fn any_message(random: &mut Random, number: i32) -> Vec<u8> {
    let mut number_of = |scale: f64| OscType::Float((scale * random.normal()) as f32);
    let seven: Vec<OscType> = (0..7).map(|_| number_of(1.0)).collect();
    let text = |text: &str| OscType::String(text.to_owned());
    let roles = apart();
    let named = |addr: &str, name: &str, more: Vec<OscType>| OscMessage {
        addr: addr.to_owned(),
        args: [vec![text(name)], more].concat(),
    };
    let message = match random.index(12) {
        // Translations, scales and numbers beyond what is known are the receiver's.
        0..3 => {
            let role = roles[random.index(roles.len())];
            let name = ugoki_live::vmc_name(role);
            let more = if random.index(2) == 0 { vec![OscType::Int(number)] } else { Vec::new() };
            named("/VMC/Ext/Bone/Pos", &name, [seven, more].concat())
        }
        // No rotation at all: nothing that we could use.
        3 => named("/VMC/Ext/Bone/Pos", "LeftEye", vec![OscType::Float(0.0); 7]),
        4 => named("/VMC/Ext/Bone/Pos", "LastBone", seven),
        5 => named("/VMC/Ext/Blend/Val", "Joy", vec![OscType::Float(f32::from_bits(0x7fc0_1234))]),
        6 => OscMessage { addr: "/VMC/Ext/Blend/Apply".to_owned(), args: Vec::new() },
        7 => named("/VMC/Ext/Cam", "Camera", [seven, vec![OscType::Float(45.0)]].concat()),
        8 => named("/VMC/Ext/Set/Eye", "x", vec![OscType::Int(1), OscType::Float(0.1)]),
        9 => named(["/VMC/Ext/Tra/Pos", "/VMC/Ext/Hmd/Pos"][random.index(2)], "LHR-1", vec![OscType::Nil]),
        10 => OscMessage {
            addr: format!("/VMC/Thru/{number}"),
            args: vec![
                OscType::Int(number),
                OscType::Blob(vec![1, 2, 3]),
                OscType::Long(-7),
                OscType::Double(0.1),
                OscType::Time(OscTime { seconds: 9, fractional: 8 }),
                OscType::Char('ゆ'),
                OscType::Color(OscColor { red: 1, green: 2, blue: 3, alpha: 4 }),
                OscType::Midi(OscMidiMessage { port: 1, status: 2, data1: 3, data2: 4 }),
                OscType::Bool(true),
                OscType::Inf,
                OscType::Array(OscArray { content: vec![OscType::Int(1), text("動き")] }),
            ],
        },
        _ => OscMessage { addr: format!("/another/program/{number}"), args: vec![text("")] },
    };
    Passed::new(&message).bytes
}

/// Messages as packets: plain, in a bundle with a time, or in a bundle in a bundle.
fn packets(messages: &[(Vec<u8>, OscTime)], random: &mut Random) -> Vec<Vec<u8>> {
    let now = OscTime { seconds: 0, fractional: 1 };
    let mut out = Vec::new();
    for (bytes, time) in messages {
        let passed = Passed { bytes: bytes.clone(), time: *time, role: None };
        if *time == now && random.index(2) == 0 {
            out.push(bytes.clone());
            continue;
        }
        let [bundle] = encode_passed([&passed]).try_into().unwrap();
        let outer = Passed { bytes: bundle.clone(), time: now, role: None };
        out.push(if random.index(3) == 0 { encode_passed([&outer]).swap_remove(0) } else { bundle });
    }
    out
}

fn others(packets: &[Vec<u8>]) -> Vec<(Vec<u8>, OscTime)> {
    let messages = packets.iter().flat_map(|packet| decode(packet).unwrap().0);
    let other = |message| match message {
        Message::Other(passed) => Some((passed.bytes, passed.time)),
        _ => None,
    };
    // Fingers of the body that is sent stand with its bones.
    messages.filter_map(other).collect()
}

/// Random messages for one frame, some to take effect later.
fn some(random: &mut Random, number: &mut i32) -> Vec<(Vec<u8>, OscTime)> {
    let count = random.index(6);
    let one = |_| {
        *number += 1;
        let later = random.index(3) == 0;
        let seconds = if later { 3_900_000_000 + *number as u32 / 4 } else { 0 };
        (any_message(random, *number), OscTime { seconds, fractional: 1 })
    };
    (0..count).map(one).collect()
}

#[test]
fn what_is_no_body_bone_goes_out_bit_for_bit_and_in_order() {
    let clip = sample::clip("front-kick").unwrap();
    let mut proxy = proxy(&clip);
    let mut random = Random::new(SEED);
    let mut assembler = Assembler::default();
    let (mut came, mut went, mut number) = (Vec::new(), Vec::new(), 0);
    for frame in 0..clip.num_frames() {
        let seconds = frame as f64 / clip.fps();
        let (before, after) = (some(&mut random, &mut number), some(&mut random, &mut number));
        let mut sent = packets(&before, &mut random);
        sent.extend(encode_frame(clip.skeleton(), &clip.pose(frame), seconds as f32));
        sent.extend(packets(&after, &mut random));
        came.extend(before.into_iter().chain(after));
        let mut frames: Vec<_> = sent.iter().flat_map(|packet| assembler.packet(packet)).collect();
        frames.extend(assembler.finish());
        for one in frames {
            went.extend(others(&proxy.frame(&one, seconds).0));
        }
    }
    assert!(came.len() > 100, "{}", came.len());
    assert_eq!(came, went, "seed {SEED}");
}

#[test]
fn sockets_and_a_buffer_change_nothing_of_it() {
    let clip = sample::clip("front-kick").unwrap();
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    for buffer_ms in [0, 40] {
        let mut proxy = proxy(&clip);
        let mut random = Random::new(SEED);
        let inlet = Receiver::open_buffered(anywhere, Duration::from_millis(buffer_ms)).unwrap();
        let sender = Sender::open(inlet.address()).unwrap();
        let (mut came, mut went, mut number) = (Vec::new(), Vec::new(), 0);
        for frame in 0..60 {
            let seconds = frame as f64 / clip.fps();
            let (before, after) = (some(&mut random, &mut number), some(&mut random, &mut number));
            let mut sent = packets(&before, &mut random);
            sent.extend(encode_frame(clip.skeleton(), &clip.pose(frame), seconds as f32));
            sent.extend(packets(&after, &mut random));
            came.extend(before.into_iter().chain(after));
            sender.send(&sent).unwrap();
            let last = frame == 59;
            while let Some(one) = inlet.next(Duration::from_millis(if last { 400 } else { 12 })) {
                went.extend(others(&proxy.frame(&one.frame, seconds).0));
            }
        }
        assert!(came.len() > 100, "{}", came.len());
        assert_eq!(came, went, "seed {SEED}, buffer {buffer_ms} ms");
    }
}

#[test]
fn a_message_that_fills_a_packet_does_not_end_the_performance() {
    let blob = OscMessage { addr: "/VMC/Thru/x".to_owned(), args: vec![OscType::Blob(vec![7; 65_480])] };
    let bytes = Passed::new(&blob).bytes;
    assert!(bytes.len() > 65_490 && bytes.len() <= 65_507);
    let (inlet, outlet) = {
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        (Receiver::open(anywhere).unwrap(), Receiver::open(anywhere).unwrap())
    };
    Sender::open(inlet.address()).unwrap().send(std::slice::from_ref(&bytes)).unwrap();
    let frame = inlet.next(Duration::from_secs(2)).unwrap().frame;
    let mut proxy = proxy(&sample::clip("front-kick").unwrap());
    Sender::open(outlet.address()).unwrap().send(&proxy.frame(&frame, 0.0).0).unwrap();
    assert_eq!(outlet.next(Duration::from_secs(2)).unwrap().frame.others[0].bytes, bytes);
}

/// The clip on a body with two fingers, of which one is moved.
fn with_a_finger(clip: &Clip) -> Clip {
    let old = clip.skeleton();
    let mut joints: Vec<Joint> = (0..old.num_joints()).map(|joint| old.joint(joint).clone()).collect();
    let hand = old.find(Role::LeftHand).unwrap();
    for (name, role) in [("moved", Role::LeftIndexProximal), ("still", Role::LeftRingProximal)] {
        let mut finger = Joint::new(name, Some(hand), glam::Vec3::X * 0.08);
        finger.role = Some(role);
        joints.push(finger);
    }
    let skeleton: Arc<Skeleton> = Skeleton::build(joints).unwrap();
    let poses: Vec<_> = (0..clip.num_frames())
        .map(|frame| {
            let mut pose = clip.pose(frame);
            pose.rotations.push(glam::Quat::from_rotation_z(0.005 * frame as f32));
            pose.rotations.push(glam::Quat::from_rotation_z(0.7));
            pose
        })
        .collect();
    Clip::from_poses(skeleton, clip.fps(), &poses).unwrap()
}

#[test]
fn fingers_that_the_actor_moves_are_the_actor_s() {
    let plain = sample::clip("front-kick").unwrap();
    let clip = with_a_finger(&plain);
    let mut proxy = proxy(&clip);
    let bone =
        Bone { position: glam::Vec3::new(0.01, 0.02, 0.03), rotation: glam::Quat::from_rotation_x(0.5) };
    let roles = [Role::LeftIndexProximal, Role::LeftMiddleProximal, Role::LeftRingProximal];
    let mut assembler = Assembler::default();
    let mut passed = Vec::new();
    for frame in 0..30 {
        let mut sent = encode_frame(plain.skeleton(), &plain.pose(frame), frame as f32 / 60.0);
        sent.extend(ugoki_live::encode_messages(&roles.map(|role| bone_message(role, bone))));
        let mut frames: Vec<_> = sent.iter().flat_map(|packet| assembler.packet(packet)).collect();
        frames.extend(assembler.finish());
        for one in frames {
            let packets = proxy.frame(&one, f64::from(frame as u32) / 60.0).0;
            passed.extend(packets.iter().flat_map(|packet| decode(packet).unwrap().0).filter_map(
                |message| match message {
                    Message::Other(passed) => passed.role,
                    _ => None,
                },
            ));
        }
    }
    let own = |role: Role| passed.iter().filter(|&&other| other == role).count();
    // Those that he has not, or does not move, pass every time; the actor's own at most until he is shown.
    assert_eq!((own(roles[1]), own(roles[2])), (30, 30));
    assert!(own(roles[0]) <= 1, "{}", own(roles[0]));
}
