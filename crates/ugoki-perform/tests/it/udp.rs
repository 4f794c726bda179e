//! Real sockets on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use rosc::{OscMessage, OscType};
use ugoki_base::math::Random;
use ugoki_base::no_progress;
use ugoki_base::skeleton::Role;
use ugoki_live::sockets::{Receiver, Recorder, Sender, StreamClock, TimedPoses};
use ugoki_live::{Assembler, Message, Passed, bone_message, decode, encode_frame, encode_messages};
use ugoki_perform::live::Proxy;
use ugoki_perform::{Imitation, LearnConfig, RunConfig, learn};
use ugoki_sample as sample;

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
    let recorded = recorder.clip(clip.fps(), &sample::skeleton()).unwrap();
    let seconds = recorded.seconds();
    assert!((seconds - clip.seconds()).abs() < 0.3, "{seconds} of {}", clip.seconds());
    let hand = |c: &ugoki_base::clip::Clip| {
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
    let go_on = &mut no_progress();
    let imitation = Imitation { actor: &clip, performer: Some(&clip) };
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
            let (packets, found) = proxy.frame(&arrived.frame, frame as f64 / clip.fps());
            assert_eq!(found.is_some(), arrived.frame.moved);
            performed += usize::from(found.is_some());
            relay.send(&packets).unwrap();
            let pose = ugoki_base::pose::forward_kinematics(proxy.skeleton(), proxy.pose());
            let foot = proxy.skeleton().find(Role::RightFoot).unwrap();
            highest = highest.max(pose.positions[foot].y);
            if let Some(out) = outlet.next(Duration::from_millis(1)) {
                faces.extend(out.frame.others.iter().filter_map(Passed::message));
            }
        }
    }
    assert!(performed + 2 >= frames, "{performed} of {frames}");
    while let Some(out) = outlet.next(Duration::from_millis(300)) {
        faces.extend(out.frame.others.iter().filter_map(Passed::message));
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

/// A model of one kick, and a proxy that plays it.
fn proxy(clip: &ugoki_base::clip::Clip) -> Proxy {
    let go_on = &mut no_progress();
    let imitation = Imitation { actor: clip, performer: Some(clip) };
    let (model, _) = learn(&[imitation], &LearnConfig::default(), go_on).unwrap();
    Proxy::build(model, &sample::skeleton(), clip.fps(), RunConfig::default()).unwrap()
}

/// Packets of a frame without some bones, and whatever else.
fn without(
    clip: &ugoki_base::clip::Clip,
    frame: usize,
    time: f32,
    gone: &dyn Fn(Role) -> bool,
) -> Vec<Vec<u8>> {
    let mut messages = vec![OscMessage { addr: "/VMC/Ext/T".to_owned(), args: vec![OscType::Float(time)] }];
    for packet in encode_frame(clip.skeleton(), &clip.pose(frame), time) {
        for message in decode(&packet).unwrap().0 {
            if let Message::Bone(role, bone) = message
                && !gone(role)
            {
                messages.push(bone_message(role, bone));
            }
        }
    }
    encode_messages(&messages)
}

#[test]
fn bodies_that_lack_bones_are_performed_with_what_they_have() {
    let clip = sample::clip("front-kick").unwrap();
    let foot = clip.skeleton().find(Role::RightFoot).unwrap();
    let actor = clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max);
    let leg = |role: Role| {
        role.name().contains("Leg") || role.name().contains("Foot") || role.name().contains("Toes")
    };
    let toes = |role: Role| role.name().contains("Toes");
    let upper = |role: Role| leg(role);
    // The first packet of the first frame is lost; there are no toes; the upper body only; after a while fewer bones.
    type Lost<'a> = &'a dyn Fn(usize, Role) -> bool;
    let cases: [(&str, Lost<'_>); 4] = [
        ("first frame half", &|frame, role| frame == 0 && role.index() > 12),
        ("no toes", &|_, role| toes(role)),
        ("upper body", &|_, role| upper(role)),
        ("fewer after a restart", &|frame, role| frame >= 40 && toes(role)),
    ];
    for (name, gone) in cases {
        let mut proxy = proxy(&clip);
        let mut assembler = Assembler::default();
        let (mut performed, mut highest) = (0, 0.0_f32);
        for frame in 0..clip.num_frames() {
            // The restart sets the sender's clock back.
            let late = if name.starts_with("fewer") && frame < 40 { 100.0 } else { 0.0 };
            let time = late + frame as f32 / clip.fps() as f32;
            let packets = without(&clip, frame, time, &|role| gone(frame, role));
            let mut frames: Vec<_> = packets.iter().flat_map(|packet| assembler.packet(packet)).collect();
            frames.extend(assembler.finish());
            for came in frames {
                let (out, found) = proxy.frame(&came, frame as f64 / clip.fps());
                assert!(!out.is_empty(), "{name}");
                performed += usize::from(found.is_some());
                let body = ugoki_base::pose::forward_kinematics(proxy.skeleton(), proxy.pose());
                assert!(body.positions.iter().all(|p| p.is_finite()), "{name}");
                highest = highest.max(body.positions[proxy.skeleton().find(Role::RightFoot).unwrap()].y);
            }
        }
        assert!(performed + 1 >= clip.num_frames(), "{name}: {performed} of {}", clip.num_frames());
        assert_eq!(proxy.missing().is_empty(), name == "first frame half", "{name}");
        // Half a body shows less of a kick; all others kick as high as the actor.
        if name != "upper body" {
            assert!((highest - actor).abs() < 0.04, "{name}: {highest} of {actor} m");
        }
    }
}

#[test]
fn eyes_and_jaw_pass_through_every_frame() {
    let clip = sample::clip("front-kick").unwrap();
    let mut proxy = proxy(&clip);
    let look = |frame: usize| ugoki_live::Bone {
        position: glam::Vec3::new(0.03, 0.05, 0.08),
        rotation: glam::Quat::from_rotation_y(frame as f32 * 0.01),
    };
    let roles = [Role::LeftEye, Role::RightEye, Role::Jaw, Role::LeftIndexProximal];
    let mut assembler = Assembler::default();
    for frame in 0..20 {
        let mut packets = encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / 60.0);
        packets.extend(encode_messages(&roles.map(|role| bone_message(role, look(frame)))));
        let mut frames: Vec<_> = packets.iter().flat_map(|packet| assembler.packet(packet)).collect();
        frames.extend(assembler.finish());
        let mut seen = Vec::new();
        for came in frames {
            for packet in proxy.frame(&came, frame as f64 / 60.0).0 {
                for message in decode(&packet).unwrap().0 {
                    if let Message::Bone(role, bone) = message
                        && roles.contains(&role)
                    {
                        assert!(
                            bone.rotation.angle_between(look(frame).rotation) < 1e-3 || frame == 0,
                            "{role}"
                        );
                        seen.push(role);
                    }
                }
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), roles.len(), "frame {frame}: {seen:?}");
    }
}

#[test]
fn packets_in_disorder_are_put_in_order_by_a_buffer() {
    let clip = sample::clip("punch").unwrap();
    let swapped = |delay: u64| {
        let receiver = Receiver::open_buffered(anywhere(), Duration::from_millis(delay)).unwrap();
        let sender = Sender::open(receiver.address()).unwrap();
        let mut times = Vec::new();
        for pair in 0..20 {
            for frame in [2 * pair + 1, 2 * pair] {
                sender.send(&encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / 60.0)).unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
            while let Some(arrived) = receiver.next(Duration::ZERO) {
                times.extend(arrived.frame.time.filter(|_| arrived.frame.moved));
            }
        }
        while let Some(arrived) = receiver.next(Duration::from_millis(300)) {
            times.extend(arrived.frame.time.filter(|_| arrived.frame.moved));
        }
        times
    };
    let times = swapped(60);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    assert!(times.len() >= 38, "{} of 40", times.len());
    // Without one they come as they are sent, or are dropped as late.
    let plain = swapped(0);
    assert!(plain.len() < 40 || plain.windows(2).any(|pair| pair[0] >= pair[1]), "{plain:?}");
}

#[test]
fn time_is_the_sender_s_and_a_file_has_its_length() {
    let clip = sample::clip("punch").unwrap();
    for rate in [30.0, 60.0, 120.0] {
        let mut clock = StreamClock::default();
        let mut poses = TimedPoses::default();
        for frame in 0..clip.num_frames() {
            // Frames arrive in bursts; one in ten is lost.
            let (sent, arrived) = (frame as f64 / rate, (frame / 8 * 8) as f64 / rate);
            if frame % 10 != 7 {
                assert!(poses.push(clock.tick(arrived, Some(sent as f32)), &clip.pose(frame)));
            }
        }
        let kept = poses.clip(clip.skeleton(), 60.0).unwrap();
        let wanted = (clip.num_frames() - 1) as f64 / rate;
        assert!((kept.seconds() - wanted).abs() < 0.05, "{} of {wanted} s at {rate}", kept.seconds());
    }
}

#[test]
fn eyes_and_fingers_of_another_program_make_no_frames_and_are_not_overwritten() {
    let clip = sample::clip("front-kick").unwrap();
    let mut proxy = proxy(&clip);
    let inlet = Receiver::open(anywhere()).unwrap();
    let (body, gloves) = (Sender::open(inlet.address()).unwrap(), Sender::open(inlet.address()).unwrap());
    let finger = ugoki_live::Bone {
        position: glam::Vec3::new(0.1, 0.2, 0.3),
        rotation: glam::Quat::from_rotation_z(0.7),
    };
    let roles = [Role::LeftEye, Role::LeftIndexProximal, Role::RightThumbDistal];
    let (frames, mut performed, mut passed) = (60, 0, 0);
    for frame in 0..frames {
        // The other program comes twice as often, and begins before the body does.
        for _ in 0..2 {
            gloves.send(&encode_messages(&roles.map(|role| bone_message(role, finger)))).unwrap();
        }
        if frame >= 5 {
            let packets = encode_frame(clip.skeleton(), &clip.pose(frame), frame as f32 / 60.0);
            body.send(&packets).unwrap();
        }
        while let Some(arrived) = inlet.next(Duration::from_millis(8)) {
            let (packets, found) = proxy.frame(&arrived.frame, frame as f64 / 60.0);
            performed += usize::from(found.is_some());
            for message in packets.iter().flat_map(|packet| decode(packet).unwrap().0) {
                let Message::Bone(role, bone) = message else { continue };
                if roles.contains(&role) {
                    let turned = bone.rotation.angle_between(finger.rotation);
                    assert!(turned < 1e-3, "frame {frame}: {role} at rest, {turned} rad off");
                    passed += 1;
                }
            }
            let joint = proxy.skeleton().find(Role::LeftIndexProximal);
            if let Some(joint) = joint.filter(|_| found.is_some()) {
                // A file or the studio has the finger too.
                assert!(proxy.pose().rotations[joint].angle_between(finger.rotation) < 1e-3);
            }
        }
    }
    assert_eq!(performed, frames - 5, "one frame of the body for each that its sender sent");
    assert_eq!(passed, 2 * frames * roles.len(), "and every finger once");
}

#[test]
fn a_body_without_hips_is_performed() {
    let clip = sample::clip("front-kick").unwrap();
    let mut proxy = proxy(&clip);
    let mut assembler = Assembler::default();
    let (mut performed, mut highest) = (0, 0.0_f32);
    for frame in 0..clip.num_frames() {
        let time = frame as f32 / clip.fps() as f32;
        let packets = without(&clip, frame, time, &|role| role == Role::Hips);
        let mut frames: Vec<_> = packets.iter().flat_map(|packet| assembler.packet(packet)).collect();
        frames.extend(assembler.finish());
        for came in frames {
            performed += usize::from(proxy.frame(&came, frame as f64 / clip.fps()).1.is_some());
            let body = ugoki_base::pose::forward_kinematics(proxy.skeleton(), proxy.pose());
            highest = highest.max(body.positions[proxy.skeleton().find(Role::RightFoot).unwrap()].y);
        }
    }
    let foot = clip.skeleton().find(Role::RightFoot).unwrap();
    let actor = clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max);
    assert_eq!((performed, proxy.unusable()), (clip.num_frames(), 0));
    assert!((highest - actor).abs() < 0.04, "{highest} of {actor} m");
}

#[test]
fn bones_that_stop_coming_are_reported_and_left_out() {
    let clip = sample::clip("front-kick").unwrap();
    let foot = clip.skeleton().find(Role::RightFoot).unwrap();
    let actor = clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max);
    let leg = [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
    let mut proxy = proxy(&clip);
    let mut assembler = Assembler::default();
    let (mut highest, mut reports) = ([0.0_f32; 3], Vec::new());
    for number in 0..3 * clip.num_frames() {
        // In the second kick the bones of the leg do not come, in the third they do again.
        let (round, frame) = (number / clip.num_frames(), number % clip.num_frames());
        let seconds = number as f64 / clip.fps();
        let packets = without(&clip, frame, seconds as f32, &|role| round == 1 && leg.contains(&role));
        let mut frames: Vec<_> = packets.iter().flat_map(|packet| assembler.packet(packet)).collect();
        frames.extend(assembler.finish());
        for came in frames {
            assert!(proxy.frame(&came, seconds).1.is_some());
            let body = ugoki_base::pose::forward_kinematics(proxy.skeleton(), proxy.pose());
            let height = body.positions[proxy.skeleton().find(Role::RightFoot).unwrap()].y;
            highest[round] = highest[round].max(height);
        }
        let lost: Vec<Role> = proxy.lost().map(|(role, _)| role).collect();
        if reports.last().is_none_or(|(_, last)| *last != lost) {
            reports.push((number, lost));
        }
    }
    // The hip is where the trunk is; what hangs from it is lost after a tenth of a second, at once, and comes back at
    // once.
    let [none, lost, back] = reports.try_into().expect("one loss");
    assert_eq!((none.1.len(), back.1.len()), (0, 0));
    assert_eq!(lost.1, leg[1..]);
    let late = (lost.0 - clip.num_frames()) as f64 / clip.fps();
    assert!((0.08..0.13).contains(&late), "{late} s");
    assert_eq!(back.0, 2 * clip.num_frames());
    assert!(highest.iter().all(|height| (height - actor).abs() < 0.03), "{highest:?} of {actor} m");
}

#[test]
fn a_lost_body_is_reported_and_held_with_every_frame() {
    let clip = sample::clip("front-kick").unwrap();
    type Lost = fn(Role) -> bool;
    let gone: [(&str, Lost); 2] = [("hips", |role| role == Role::Hips), ("all bones", |_| true)];
    let (first, last) = (60, 110);
    for (name, gone) in gone {
        let mut proxy = proxy(&clip);
        let mut assembler = Assembler::default();
        let mut reports = Vec::new();
        for number in 0..clip.num_frames() {
            let seconds = number as f64 / clip.fps();
            let lost = (first..last).contains(&number);
            let state = rosc::OscMessage {
                addr: "/VMC/Ext/OK".to_owned(),
                args: vec![rosc::OscType::Int(i32::from(!lost)), rosc::OscType::Int(number as i32)],
            };
            let state = ugoki_live::Passed::new(&state);
            let (pose, comes) = (clip.pose(number), |role: Role| !(lost && gone(role)));
            let packets =
                ugoki_live::encode_frame_with(clip.skeleton(), &pose, seconds as f32, Some(&state), &comes);
            let mut frames: Vec<_> = packets.iter().flat_map(|packet| assembler.packet(packet)).collect();
            frames.extend(assembler.finish());
            let before = proxy.pose().clone();
            let mut out = Vec::new();
            for frame in &frames {
                let (packets, _) = proxy.frame(frame, seconds);
                out.extend(packets.iter().flat_map(|packet| decode(packet).unwrap().0));
            }
            let roles: Vec<Role> = proxy.lost().map(|(role, _)| role).collect();
            if reports.last().is_none_or(|(_, last)| *last != roles) {
                reports.push((number, roles));
            }
            let count = |wanted: &dyn Fn(&Message) -> bool| out.iter().filter(|m| wanted(m)).count();
            assert_eq!(
                count(&|m| *m == Message::State(state.clone())),
                1,
                "{name}, {number}: its state, once"
            );
            // A quarter of a second passes before no bones are known to be no body.
            let sent = !lost || name == "hips" || seconds > (first as f64) / clip.fps() + 0.27;
            if sent {
                let near = |t: f32| (f64::from(t) - seconds).abs() < 1e-3;
                assert!(
                    count(&|m| matches!(m, Message::Time(t) if near(*t))) > 0,
                    "{name}, {number}: its time"
                );
                for role in [Role::Hips, Role::Head, Role::LeftHand, Role::RightToes] {
                    let bones = count(&|m| matches!(m, Message::Bone(other, _) if *other == role));
                    assert_eq!(bones, 1, "{name}, {number}: {role}");
                }
            }
            // What is bridged for a tenth of a second goes on.
            if lost && seconds > (first as f64) / clip.fps() + 0.27 {
                assert_eq!(*proxy.pose(), before, "{name}, {number}: the pose is held");
                assert!(proxy.held());
            }
        }
        let [none, lost, back] = reports.try_into().expect("one loss");
        assert_eq!((none.1.len(), back.1.len()), (0, 0));
        for role in [Role::Head, Role::LeftHand, Role::RightToes] {
            assert!(lost.1.contains(&role), "{name}: {role} is reported");
        }
        assert!((first..first + 40).contains(&lost.0) && back.0 == last, "{name}: {} to {}", lost.0, back.0);
    }
}
