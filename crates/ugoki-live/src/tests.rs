use glam::{Quat, Vec3};
use rosc::{OscMessage, OscPacket, OscType, encoder};
use ugoki_base::math::Random;
use ugoki_base::pose::{Pose, forward_kinematics};
use ugoki_base::skeleton::Role;
use ugoki_sample as sample;

use super::*;

fn packet(addr: &str, args: Vec<OscType>) -> Vec<u8> {
    encoder::encode(&OscPacket::Message(OscMessage { addr: addr.to_owned(), args })).unwrap()
}

/// All frames that packets give, the last one closed.
fn received(packets: impl IntoIterator<Item = Vec<u8>>) -> (Vec<StreamFrame>, Counts) {
    let mut assembler = Assembler::default();
    let mut frames: Vec<StreamFrame> = packets.into_iter().flat_map(|p| assembler.packet(&p)).collect();
    frames.extend(assembler.finish());
    (frames, assembler.counts())
}

#[test]
fn a_motion_sent_is_the_motion_received() {
    let clip = sample::clip("throw").unwrap();
    let packets: Vec<Vec<u8>> = (0..clip.num_frames())
        .flat_map(|f| encode_frame(clip.skeleton(), &clip.pose(f), f as f32 / clip.fps() as f32))
        .collect();
    assert!(packets.iter().all(|packet| packet.len() <= 1400));
    let (frames, counts) = received(packets);
    assert_eq!(frames.len(), clip.num_frames());
    assert_eq!((counts.refused, counts.reordered, counts.restarts), (0, 0, 0));
    let skeleton = skeleton_of(&frames[0], &sample::skeleton()).unwrap();
    let mut pose = Pose::rest(&skeleton);
    for (number, frame) in frames.iter().enumerate() {
        stream_pose_into(&skeleton, frame, &mut pose);
        let (sent, got) = (clip.model_pose(number), forward_kinematics(&skeleton, &pose));
        for (joint, place) in got.positions.iter().enumerate() {
            let role = skeleton.joint(joint).role.unwrap();
            let own = clip.skeleton().find(role).unwrap();
            assert!(place.distance(sent.positions[own]) < 1e-4, "{role} in frame {number}");
        }
    }
}

#[test]
fn a_sender_without_translations_has_the_usual_bones() {
    let clip = sample::clip("throw").unwrap();
    let packets = encode_frame(clip.skeleton(), &clip.pose(5), 0.0);
    let (mut frames, _) = received(packets);
    for bone in frames[0].bones.iter_mut().flatten() {
        bone.position = Vec3::ZERO;
    }
    let skeleton = skeleton_of(&frames[0], &sample::skeleton()).unwrap();
    let mut pose = Pose::rest(&skeleton);
    stream_pose_into(&skeleton, &frames[0], &mut pose);
    let (sent, got) = (clip.model_pose(5), forward_kinematics(&skeleton, &pose));
    for (joint, place) in got.positions.iter().enumerate() {
        let own = clip.skeleton().find(skeleton.joint(joint).role.unwrap()).unwrap();
        let (a, b) = (*place - got.positions[0], sent.positions[own] - sent.positions[0]);
        assert!(a.distance(b) < 1e-3, "{}", skeleton.joint(joint).name);
    }
}

#[test]
fn unity_s_axes_are_left_handed() {
    // A left hand raised sideways in Unity lies at −X.
    let args = ["Hips"].iter().map(|name| OscType::String((*name).to_owned()));
    let numbers = [-0.5, 1.0, 0.25, 0.0, 0.0, 0.0, 1.0].map(OscType::Float);
    let (messages, _) = decode(&packet("/VMC/Ext/Bone/Pos", args.chain(numbers).collect())).unwrap();
    let expected = Bone { position: Vec3::new(0.5, 1.0, 0.25), rotation: Quat::IDENTITY };
    assert_eq!(messages, [Message::Bone(Role::Hips, expected)]);
}

#[test]
fn wrong_messages_are_refused_and_strangers_passed_on() {
    let bone = "/VMC/Ext/Bone/Pos";
    let name = OscType::String("Hips".to_owned());
    for args in [
        vec![],
        vec![name.clone()],
        vec![name.clone(), OscType::Float(1.0)],
        [vec![name.clone()], vec![OscType::Int(1); 7]].concat(),
        [vec![name.clone()], vec![OscType::Float(f32::NAN); 7]].concat(),
        [vec![name.clone()], vec![OscType::Float(0.0); 7]].concat(),
        vec![OscType::Float(1.0); 8],
    ] {
        let (messages, refused) = decode(&packet(bone, args)).unwrap();
        assert_eq!((messages.len(), refused.len()), (0, 1));
    }
    // More arguments than known are welcome.
    let mut more = [vec![name], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0].map(OscType::Float).to_vec()].concat();
    more.push(OscType::String("extra".to_owned()));
    assert_eq!(decode(&packet(bone, more)).unwrap().0.len(), 1);
    let face = packet("/VMC/Ext/Blend/Val", vec![OscType::String("Joy".to_owned()), OscType::Float(0.5)]);
    let (messages, refused) = decode(&face).unwrap();
    assert!(matches!(messages.as_slice(), [Message::Other(_)]) && refused.is_empty());
}

#[test]
fn faces_ride_with_their_frame_in_order() {
    let clip = sample::clip("nod").unwrap();
    let face = |i: usize| OscMessage { addr: format!("/VMC/Thru/{i}"), args: vec![OscType::Int(i as i32)] };
    let mut packets = Vec::new();
    for frame in 0..4 {
        packets.extend(encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32));
        packets.extend(encode_messages(&[face(2 * frame), face(2 * frame + 1)]));
    }
    let (frames, _) = received(packets);
    let frames: Vec<OscMessage> =
        frames.iter().flat_map(|frame| &frame.others).filter_map(Passed::message).collect();
    assert_eq!(frames, (0..8).map(face).collect::<Vec<_>>());
}

#[test]
fn garbage_loss_and_restarts_are_survived_and_counted() {
    let clip = sample::clip("punch").unwrap();
    let mut random = Random::new(7);
    let mut packets = Vec::new();
    for round in 0..2 {
        for frame in 0..30 {
            let time = frame as f32 / 30.0 + if round == 0 { 50.0 } else { 0.0 };
            for packet in encode_frame(clip.skeleton(), &clip.pose(frame), time) {
                if random.uniform() < 0.05 {
                    continue;
                }
                packets.push(packet);
            }
            let junk = (0..random.index(64)).map(|_| random.next_u64() as u8).collect();
            packets.push(junk);
        }
    }
    let (frames, counts) = received(packets);
    assert!(frames.len() > 50 && counts.refused > 30);
    assert_eq!(counts.restarts, 1);
    for frame in &frames {
        for bone in frame.bones.iter().flatten() {
            assert!(bone.position.is_finite() && (bone.rotation.length() - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn flipped_bytes_of_packets_never_panic() {
    let clip = sample::clip("idle").unwrap();
    let whole = encode_frame(clip.skeleton(), &clip.pose(3), 1.0);
    let mut random = Random::new(11);
    for _ in 0..3000 {
        let mut packet = whole[random.index(whole.len())].clone();
        for _ in 0..1 + random.index(4) {
            let at = random.index(packet.len());
            packet[at] = random.next_u64() as u8;
        }
        packet.truncate(1 + random.index(packet.len()));
        let _ = decode(&packet);
    }
}

#[test]
fn a_frame_is_over_when_its_usual_bones_have_come() {
    let clip = sample::clip("punch").unwrap();
    let mut assembler = Assembler::default();
    let mut late = 0;
    for frame in 0..clip.num_frames() {
        let packets = encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / 60.0);
        let done: Vec<StreamFrame> = packets.iter().flat_map(|p| assembler.packet(p)).collect();
        // Only the first frame cannot be known to be whole.
        late += usize::from(done.last().is_none_or(|done| done.time != Some(frame as f32 / 60.0)));
    }
    assert_eq!(late, 1);
    assert_eq!(assembler.counts().frames as usize, clip.num_frames());
}

#[test]
fn a_sender_that_sends_fewer_bones_is_followed() {
    let clip = sample::clip("punch").unwrap();
    let hips = |frame: usize| {
        let numbers = [0.0, 1.0 + frame as f32 / 1000.0, 0.0, 0.0, 0.0, 0.0, 1.0].map(OscType::Float);
        let args = [vec![OscType::String("Hips".to_owned())], numbers.to_vec()].concat();
        packet("/VMC/Ext/Bone/Pos", args)
    };
    let mut packets: Vec<Vec<u8>> = encode_frame(clip.skeleton(), &clip.pose(0), 0.0);
    packets.extend((0..100).map(hips));
    let (frames, counts) = received(packets);
    assert!(counts.frames >= 100 && frames.len() >= 100, "{counts:?}");
}

#[test]
fn a_face_without_a_body_passes_on_and_never_piles_up() {
    let face = |i: i32| OscMessage { addr: "/VMC/Ext/Blend/Val".to_owned(), args: vec![OscType::Int(i)] };
    let mut assembler = Assembler::default();
    let mut frames = Vec::new();
    for i in 0..1000 {
        for packet in encode_messages(&[face(i)]) {
            frames.extend(assembler.packet(&packet));
        }
    }
    assert!(frames.len() >= 3 && frames.iter().all(|frame| !frame.moved));
    frames.extend(assembler.finish());
    let all: Vec<OscMessage> =
        frames.iter().flat_map(|frame| &frame.others).filter_map(Passed::message).collect();
    assert_eq!(all, (0..1000).map(face).collect::<Vec<_>>());
    assert_eq!(assembler.counts().frames, 0);
}

#[test]
fn trackers_pass_on() {
    let numbers = [0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0].map(OscType::Float);
    let args = [vec![OscType::String("LHR-1".to_owned())], numbers.to_vec()].concat();
    let (messages, refused) = decode(&packet("/VMC/Ext/Tra/Pos", args)).unwrap();
    assert!(refused.is_empty());
    assert!(matches!(messages.as_slice(), [Message::Tracker(..), Message::Other(_)]));
}

#[test]
fn a_sender_that_restarts_within_a_second_is_followed_at_once() {
    let clip = sample::clip("punch").unwrap();
    let sent = |time: f32| encode_frame(clip.skeleton(), &clip.pose((time * 60.0) as usize), time);
    let mut assembler = Assembler::default();
    let mut frames: Vec<StreamFrame> = Vec::new();
    for frame in 0..48 {
        frames.extend(sent(frame as f32 / 60.0).iter().flat_map(|packet| assembler.packet(packet)));
    }
    let before = frames.len();
    for frame in 0..60 {
        frames.extend(sent(frame as f32 / 60.0).iter().flat_map(|packet| assembler.packet(packet)));
    }
    let counts = assembler.counts();
    assert_eq!((counts.restarts, counts.reordered), (1, 3), "{counts:?}");
    assert!(frames.len() >= before + 56, "{} of 60 frames", frames.len() - before);
    // No frame is half of one time and half of another.
    let skeleton = skeleton_of(&frames[5], &sample::skeleton()).unwrap();
    let mut pose = Pose::rest(&skeleton);
    for frame in &frames[before + 2..] {
        stream_pose_into(&skeleton, frame, &mut pose);
        let number = (frame.time.unwrap() * 60.0).round() as usize;
        let (got, wanted) = (forward_kinematics(&skeleton, &pose), clip.model_pose(number));
        for (joint, place) in got.positions.iter().enumerate() {
            let own = clip.skeleton().find(skeleton.joint(joint).role.unwrap()).unwrap();
            assert!(place.distance(wanted.positions[own]) < 1e-3, "frame {number}");
        }
    }
}

#[test]
fn a_late_frame_is_dropped_whole() {
    let clip = sample::clip("punch").unwrap();
    let sent = |frame: usize| encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / 60.0);
    let mut assembler = Assembler::default();
    for frame in [0, 1, 2, 3, 4] {
        sent(frame).iter().for_each(|packet| drop(assembler.packet(packet)));
    }
    let frames: Vec<StreamFrame> = sent(2).iter().flat_map(|packet| assembler.packet(packet)).collect();
    assert!(frames.is_empty() && assembler.finish().is_none(), "{} frames", frames.len());
    assert_eq!(assembler.counts().reordered, 1);
    // The stream goes on as if it had not come.
    let next: Vec<StreamFrame> = sent(5).iter().flat_map(|packet| assembler.packet(packet)).collect();
    assert_eq!(next.last().and_then(|frame| frame.time), Some(5.0 / 60.0));
}

/// A frame of trackers only: headset, two controllers, waist and feet of a body at a moment of a clip.
fn trackers(clip: &ugoki_base::clip::Clip, frame: usize, turned: f32) -> Vec<OscMessage> {
    let model = clip.model_pose(frame);
    let turn = Quat::from_rotation_y(turned);
    let worn = [
        ("/VMC/Ext/Hmd/Pos", "hmd", Role::Head),
        ("/VMC/Ext/Con/Pos", "a", Role::RightHand),
        ("/VMC/Ext/Con/Pos", "b", Role::LeftHand),
        ("/VMC/Ext/Tra/Pos", "waist", Role::Hips),
        ("/VMC/Ext/Tra/Pos", "x", Role::LeftFoot),
        ("/VMC/Ext/Tra/Pos", "y", Role::RightFoot),
    ];
    let frames = worn.iter().map(|(addr, serial, role)| {
        let joint = clip.skeleton().find(*role).unwrap();
        let p = turn * model.positions[joint];
        // Unity's axes; trackers on the body are strapped on any way round, which must not matter.
        let q = if *serial == "waist" { turn * Quat::from_rotation_y(2.0) } else { turn };
        let numbers = [-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w].map(OscType::Float);
        let args = [vec![OscType::String((*serial).to_owned())], numbers.to_vec()].concat();
        OscMessage { addr: (*addr).to_owned(), args }
    });
    frames.collect()
}

#[test]
fn trackers_are_points_of_a_body_without_bones_whichever_way_it_faces() {
    let clip = sample::clip("front-kick").unwrap();
    for turned in [0.0, 1.3] {
        let mut assembler = Assembler::default();
        let mut frames = Vec::new();
        for frame in 0..clip.num_frames() {
            for packet in encode_messages(&trackers(&clip, frame, turned)) {
                frames.extend(assembler.packet(&packet));
            }
        }
        frames.extend(assembler.finish());
        frames.retain(|frame| frame.moved);
        assert_eq!(frames.len(), clip.num_frames());
        let body = TrackedBody::build(&frames[0], &sample::skeleton()).unwrap();
        let skeleton = body.skeleton();
        let worn = [Role::Head, Role::RightHand, Role::LeftHand, Role::LeftFoot, Role::RightFoot];
        assert!(worn.iter().all(|role| skeleton.find(*role).is_some()) && skeleton.num_joints() == 6);
        let (mut pose, mut placed) = (Pose::rest(skeleton), ugoki_base::pose::ModelPose::default());
        for (number, frame) in frames.iter().enumerate() {
            body.place_into(frame, &mut pose, &mut placed);
            let model = clip.model_pose(number);
            let at = |role: Role| model.positions[clip.skeleton().find(role).unwrap()];
            for role in worn {
                let away = placed.positions[skeleton.find(role).unwrap()] - placed.positions[0];
                let wanted = at(role) - at(Role::Hips);
                assert!(away.distance(wanted) < 1e-3, "{role} in frame {number}: {away} {wanted}");
            }
        }
    }
}

#[test]
fn a_tracker_that_falls_silent_is_not_seen_and_without_the_waist_nothing_is() {
    let clip = sample::clip("front-kick").unwrap();
    let mut assembler = Assembler::default();
    let mut came = |gone: &str| {
        let kept = |message: &OscMessage| !matches!(&message.args[0], OscType::String(name) if name == gone);
        let messages: Vec<OscMessage> = trackers(&clip, 0, 0.0).into_iter().filter(kept).collect();
        for packet in encode_messages(&messages) {
            assembler.packet(&packet);
        }
        assembler.finish().unwrap()
    };
    let first = came("");
    let body = TrackedBody::build(&first, &sample::skeleton()).unwrap();
    let skeleton = body.skeleton();
    let seen = |frame: &StreamFrame| {
        let (mut pose, mut placed) = (Pose::rest(skeleton), ugoki_base::pose::ModelPose::default());
        body.place_into(frame, &mut pose, &mut placed);
        (1..skeleton.num_joints()).filter(|&joint| placed.positions[joint].is_finite()).count()
    };
    let limbs = skeleton.num_joints() - 1;
    assert_eq!(seen(&first), limbs);
    assert_eq!(seen(&came("x")), limbs - 1);
    assert_eq!(seen(&came("")), limbs);
    assert_eq!(seen(&came("waist")), 0);
}

#[test]
fn trackers_stand_in_for_bones_that_are_not_sent_and_for_no_others() {
    let clip = sample::clip("front-kick").unwrap();
    let mut assembler = Assembler::default();
    let legs = |role: Role| ["Leg", "Foot", "Toes"].iter().any(|part| role.name().contains(part));
    let mut messages = Vec::new();
    for packet in encode_frame(clip.skeleton(), &clip.pose(0), 0.0) {
        for message in decode(&packet).unwrap().0 {
            match message {
                Message::Bone(role, bone) if !legs(role) => messages.push(bone_message(role, bone)),
                _ => {}
            }
        }
    }
    messages.extend(trackers(&clip, 0, 0.0));
    for packet in encode_messages(&messages) {
        assert!(assembler.packet(&packet).is_empty());
    }
    let frame = assembler.finish().unwrap();
    let body = TrackedBody::build(&frame, &sample::skeleton()).unwrap();
    let bones = skeleton_of(&frame, &sample::skeleton()).unwrap().num_joints();
    assert_eq!(body.skeleton().num_joints(), bones + 2);
    let (mut pose, mut placed) = (Pose::rest(body.skeleton()), ugoki_base::pose::ModelPose::default());
    body.place_into(&frame, &mut pose, &mut placed);
    let model = clip.model_pose(0);
    for role in [Role::LeftFoot, Role::RightFoot, Role::LeftHand] {
        let place = placed.positions[body.skeleton().find(role).unwrap()];
        assert!(place.distance(model.positions[clip.skeleton().find(role).unwrap()]) < 1e-3, "{role}");
    }
    // Where all bones come, trackers add nothing.
    let (frames, _) = received(encode_frame(clip.skeleton(), &clip.pose(0), 0.0));
    let mut whole = frames[0].clone();
    whole.trackers = frame.trackers;
    assert!(TrackedBody::build(&whole, &sample::skeleton()).is_none());
}

#[test]
fn a_sender_s_state_rides_with_its_frame() {
    let clip = sample::clip("nod").unwrap();
    let state = OscMessage { addr: "/VMC/Ext/OK".to_owned(), args: [1, 3, 0, 1].map(OscType::Int).to_vec() };
    let state = Passed::new(&state);
    let packets = encode_frame_with(clip.skeleton(), &clip.pose(0), 0.0, Some(&state), &|_| true);
    let (frames, counts) = received(packets);
    assert_eq!((frames[0].state.as_ref(), counts.refused), (Some(&state), 0));
}

#[test]
fn a_state_without_a_body_is_passed_on_once() {
    let mut assembler = Assembler::default();
    let state = packet("/VMC/Ext/OK", vec![OscType::Int(0)]);
    assert!(assembler.packet(&state).is_empty());
    let alone = assembler.finish().unwrap();
    assert!(!alone.moved && alone.others.len() == 1 && alone.others[0].bytes == state);
    assert_eq!(assembler.finish(), None);
    // With a body it is part of it and is not passed on separately.
    let clip = sample::clip("nod").unwrap();
    let frames: Vec<StreamFrame> = encode_frame(clip.skeleton(), &clip.pose(0), 0.0)
        .iter()
        .flat_map(|packet| assembler.packet(packet))
        .collect();
    let last = assembler.finish();
    assert!(frames.iter().chain(&last).all(|frame| frame.others.is_empty()));
    assert_eq!(assembler.finish(), None);
}

#[test]
fn one_odd_message_costs_its_neighbours_nothing() {
    let face = packet("/VMC/Ext/Blend/Val", vec![OscType::String("Joy".to_owned()), OscType::Float(0.5)]);
    // A name in Shift-JIS, and arguments of a kind that OSC has not.
    let mut foreign = face.clone();
    foreign[24..27].copy_from_slice(&[0x83, 0x89, 0x83]);
    let unheard = b"/VMC/Ext/X\0\0,Z\0\0".to_vec();
    let garbage = b"\x01\x02\x03\x04".to_vec();
    let mut bundle = b"#bundle\0\0\0\0\x07\0\0\0\x09".to_vec();
    for inner in [&face, &foreign, &garbage, &unheard, &face] {
        bundle.extend((inner.len() as u32).to_be_bytes());
        bundle.extend(inner);
    }
    let (messages, refused) = decode(&bundle).unwrap();
    let time = rosc::OscTime { seconds: 7, fractional: 9 };
    let other = |bytes: &Vec<u8>| Message::Other(Passed { bytes: bytes.clone(), time, role: None });
    assert_eq!(messages, [&face, &foreign, &unheard, &face].map(other));
    assert_eq!(refused.len(), 1);
    // Cut off anywhere, whatever is whole still comes.
    for len in 0..bundle.len() {
        if let Ok((some, _)) = decode(&bundle[..len]) {
            assert!(some.len() <= messages.len() && some.iter().zip(&messages).all(|(a, b)| a == b));
        }
    }
}
