//! Real sockets on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use rosc::{OscMessage, OscType};
use ugoki::live::{encode_frame, encode_messages};
use ugoki::math::Random;
use ugoki::perform::{Imitation, LearnConfig, RunConfig, learn};
use ugoki::{sample, skeleton::Role};
use ugoki_studio::live::{Proxy, Receiver, Recorder, Sender};

fn anywhere() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

#[test]
fn a_clip_streamed_with_loss_and_garbage_is_recorded_sound() {
    let clip = sample::clip("punch").unwrap();
    let receiver = Receiver::open(anywhere()).unwrap();
    let sender = Sender::open(receiver.address()).unwrap();
    let mut random = Random::new(3);
    let mut recorder = Recorder::default();
    let start = Instant::now();
    let mut held: Option<Vec<Vec<u8>>> = None;
    for frame in 0..clip.num_frames() {
        let packets = encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / clip.fps() as f32);
        if random.uniform() < 0.05 {
            continue;
        }
        // Now and then a frame comes after the next one.
        if held.is_none() && random.uniform() < 0.05 {
            held = Some(packets);
        } else {
            sender.send(&packets).unwrap();
            if let Some(late) = held.take() {
                sender.send(&late).unwrap();
            }
        }
        let junk: Vec<u8> = (0..random.index(80)).map(|_| random.next_u64() as u8).collect();
        sender.send(&[junk]).unwrap();
        // Taken as they come, so that the queue never overflows on a slow machine.
        while let Some(arrived) = receiver.next(Duration::from_millis(1)) {
            recorder.push(start.elapsed().as_secs_f64(), arrived.frame);
        }
    }
    while let Some(arrived) = receiver.next(Duration::from_millis(300)) {
        recorder.push(start.elapsed().as_secs_f64(), arrived.frame);
    }
    let (counts, _) = receiver.counts();
    assert!(counts.refused > 20, "{counts:?}");
    let recorded = recorder.clip(clip.fps()).unwrap();
    let seconds = recorded.seconds();
    assert!((seconds - clip.seconds()).abs() < 0.3, "{seconds} of {}", clip.seconds());
    let hand = |c: &ugoki::clip::Clip| {
        let joint = c.skeleton().find(Role::RightHand).unwrap();
        let hips = c.skeleton().find(Role::Hips).unwrap();
        let (a, b) = (c.joint_path(joint), c.joint_path(hips));
        a.iter().zip(&b).map(|(p, q)| p.distance(*q)).fold(0.0_f32, f32::max)
    };
    assert!((hand(&recorded) - hand(&clip)).abs() < 0.02);
    for frame in 0..recorded.num_frames() {
        for joint in 0..recorded.num_joints() {
            assert!((recorded.rotation(joint, frame).length() - 1.0).abs() < 1e-3);
        }
    }
}

#[test]
fn a_performance_goes_through_with_face_and_fingers() {
    // The fastest of the sample motions: what is shown must not lag at its top.
    let clip = sample::clip("front-kick").unwrap();
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let imitation = Imitation { actor: &clip, performer: &clip };
    let (model, _) = learn(&[imitation], &LearnConfig::default(), go_on).unwrap();
    let mut proxy = Proxy::build(model, &sample::skeleton(), clip.fps(), RunConfig::default()).unwrap();
    let (inlet, outlet) = (Receiver::open(anywhere()).unwrap(), Receiver::open(anywhere()).unwrap());
    let (sender, relay) = (Sender::open(inlet.address()).unwrap(), Sender::open(outlet.address()).unwrap());
    let face = |frame: usize| OscMessage {
        addr: "/VMC/Ext/Blend/Val".to_owned(),
        args: vec![OscType::String("Joy".to_owned()), OscType::Float(frame as f32)],
    };
    let (mut faces, mut highest, mut performed) = (Vec::new(), 0.0_f32, 0);
    let frames = clip.num_frames();
    for frame in 0..frames {
        let packets = encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / clip.fps() as f32);
        sender.send(&packets).unwrap();
        sender.send(&encode_messages(&[face(frame)])).unwrap();
        let patience = |frame| Duration::from_millis(if frame + 1 < frames { 2 } else { 200 });
        while let Some(arrived) = inlet.next(patience(frame)) {
            let (packets, found) = proxy.frame(&arrived.frame, frame as f32).unwrap();
            assert_eq!(found.is_some(), arrived.frame.moved);
            performed += usize::from(found.is_some());
            relay.send(&packets).unwrap();
            let pose = ugoki::pose::forward_kinematics(proxy.skeleton(), proxy.pose());
            let foot = proxy.skeleton().find(Role::RightFoot).unwrap();
            highest = highest.max(pose.positions[foot].y);
            if let Some(out) = outlet.next(Duration::from_millis(1)) {
                faces.extend(out.frame.others);
            }
        }
    }
    assert!(performed + 2 >= frames, "{performed} of {frames}");
    while let Some(out) = outlet.next(Duration::from_millis(300)) {
        faces.extend(out.frame.others);
    }
    let joint = clip.skeleton().find(Role::RightFoot).unwrap();
    let actor = clip.joint_path(joint).iter().map(|p| p.y).fold(0.0_f32, f32::max);
    assert!((highest - actor).abs() < 0.03, "{highest} {actor}");
    // Faces arrive unchanged and in order; the last ones may still have been on their way.
    assert!(faces.len() + 3 >= frames, "{} of {frames}", faces.len());
    for (number, message) in faces.iter().enumerate() {
        assert_eq!(*message, face(number));
    }
}
