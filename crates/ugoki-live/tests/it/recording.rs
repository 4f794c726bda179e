//! Recordings over a network that loses and swaps packets.

use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_base::skeleton::Role;
use ugoki_live::sockets::{RecordError, Recorder};
use ugoki_live::{Assembler, encode_frame, encode_frame_with};
use ugoki_sample as sample;

const SEED: u64 = 20_261_117;

/// Mean and greatest angle, degrees, between the motion that was sent and the one recorded when `lost` of all packets
/// are lost and as many change places with the next.
fn errors(name: &str, lost: f64, random: &mut Random) -> (f64, f64) {
    let clip = sample::clip(name).unwrap();
    let mut packets: Vec<(f64, Vec<u8>)> = Vec::new();
    for frame in 0..clip.num_frames() {
        let seconds = frame as f64 / clip.fps();
        let sent = encode_frame(clip.skeleton(), &clip.pose(frame), seconds as f32);
        packets.extend(sent.into_iter().map(|packet| (seconds, packet)));
    }
    // The first and last are kept, so that both motions have the same length.
    let last = packets.len() - 4;
    let mut at = 4;
    while at < last {
        if random.uniform() < lost {
            packets[at].1.clear();
        } else if random.uniform() < lost {
            packets.swap(at, at + 1);
            at += 1;
        }
        at += 1;
    }
    let (mut assembler, mut recorder) = (Assembler::default(), Recorder::default());
    for (seconds, packet) in packets.iter().filter(|(_, packet)| !packet.is_empty()) {
        for frame in assembler.packet(packet) {
            assert!(recorder.push(*seconds, frame));
        }
    }
    if let Some(frame) = assembler.finish() {
        assert!(recorder.push(clip.seconds(), frame));
    }
    let kept = recorder.clip(clip.fps(), &sample::skeleton()).unwrap();
    let mut angles = Vec::new();
    for joint in 0..clip.num_joints() {
        let role = clip.skeleton().joint(joint).role;
        let Some(other) = role.and_then(|role| kept.skeleton().find(role)) else { continue };
        for frame in 0..clip.num_frames().min(kept.num_frames()) {
            let angle = clip.rotation(joint, frame).angle_between(kept.rotation(other, frame));
            angles.push(f64::from(angle).to_degrees());
        }
    }
    let mean = angles.iter().sum::<f64>() / angles.len() as f64;
    (mean, angles.into_iter().fold(0.0, f64::max))
}

/// Greatest angle, degrees, between a joint and the middle of the straight way from three frames before to three after.
fn straight(name: &str) -> f64 {
    let clip = sample::clip(name).unwrap();
    let mut worst = 0.0_f64;
    for joint in 0..clip.num_joints() {
        for frame in 3..clip.num_frames() - 3 {
            let (a, b) = (clip.rotation(joint, frame - 3), clip.rotation(joint, frame + 3));
            let middle = a.slerp(if a.dot(b) < 0.0 { -b } else { b }, 0.5);
            let angle = f64::from(middle.angle_between(clip.rotation(joint, frame)));
            worst = worst.max(angle.to_degrees());
        }
    }
    worst
}

#[test]
fn what_a_network_loses_is_bridged_bone_by_bone() {
    let mut random = Random::new(SEED);
    for name in ["front-kick", "punch", "throw", "wave", "squat"] {
        let (mean, worst) = errors(name, 0.05, &mut random);
        println!("{name}: {mean:.2}° in the mean, {worst:.1}° at worst, seed {SEED}");
        let (whole, _) = errors(name, 0.0, &mut random);
        assert!(whole < 0.1, "{name} without loss: {whole}");
        // No worse than what the straight way over five frames in a row leaves out of this motion.
        let straight = straight(name);
        assert!(mean < 0.2 && worst < straight + 0.1, "{name}: {mean} {worst}, {straight} allowed");
    }
}

#[test]
fn trackers_alone_are_refused_in_words() {
    let tracker = |name: &str, y: f32| rosc::OscMessage {
        addr: "/VMC/Ext/Tra/Pos".to_owned(),
        args: [
            vec![rosc::OscType::String(name.to_owned())],
            [0.0, y, 0.0, 0.0, 0.0, 0.0, 1.0].map(rosc::OscType::Float).to_vec(),
        ]
        .concat(),
    };
    let mut assembler = Assembler::default();
    let mut recorder = Recorder::default();
    for packet in ugoki_live::encode_messages(&[tracker("a", 1.0), tracker("b", 0.1)]) {
        assert!(assembler.packet(&packet).is_empty());
    }
    assert!(recorder.push(0.0, assembler.finish().unwrap()));
    let error = recorder.clip(60.0, &sample::skeleton()).unwrap_err();
    assert_eq!(error, RecordError::Trackers { count: 2 });
    assert!(error.to_string().contains("bones"));
}

/// A recording of packets at their times.
fn recorded(packets: impl Iterator<Item = (f64, Vec<u8>)>) -> Recorder {
    let (mut assembler, mut recorder) = (Assembler::default(), Recorder::default());
    let mut last = 0.0;
    for (seconds, packet) in packets {
        last = seconds;
        for frame in assembler.packet(&packet) {
            assert!(recorder.push(seconds, frame));
        }
    }
    if let Some(frame) = assembler.finish() {
        assert!(recorder.push(last, frame));
    }
    recorder
}

/// Greatest distance, metres, between the joints of two motions in a frame of each.
fn apart(clip: &Clip, frame: usize, kept: &Clip, other: usize) -> f32 {
    let (a, b) = (clip.model_pose(frame), kept.model_pose(other));
    let joint = |role: &Role| Some((clip.skeleton().find(*role)?, kept.skeleton().find(*role)?));
    let joints = Role::ALL.iter().filter_map(joint);
    joints.map(|(i, j)| a.positions[i].distance(b.positions[j])).fold(0.0, f32::max)
}

#[test]
fn a_recording_whose_first_packets_are_lost_begins_with_what_came_first() {
    let clip = sample::clip("front-kick").unwrap();
    let packets = |frame: usize| {
        let seconds = frame as f64 / clip.fps();
        let sent = encode_frame(clip.skeleton(), &clip.pose(frame), seconds as f32);
        sent.into_iter().map(move |packet| (seconds, packet))
    };
    let all: Vec<(f64, Vec<u8>)> = (0..clip.num_frames()).flat_map(packets).collect();
    let in_frame = packets(0).count();
    assert!(in_frame > 1, "a frame is several packets");
    // The very first, or the first packet of each of the first twelve frames.
    for (name, frames) in [("the first", 1), ("twelve", 12)] {
        let lost = |at: usize| at.is_multiple_of(in_frame) && at / in_frame < frames;
        let kept = all.iter().enumerate().filter(|(at, _)| !lost(*at)).map(|(_, packet)| packet.clone());
        let clip_kept = recorded(kept).clip(clip.fps(), &sample::skeleton()).unwrap();
        for frame in 0..frames {
            // What has not come is as it came first.
            let moved = apart(&clip, frame, &clip, frames);
            let worst = apart(&clip, frame, &clip_kept, frame);
            assert!(worst <= 2.0 * moved + 0.001, "{name}: {worst} m off in frame {frame}, {moved} moved");
        }
    }
}

#[test]
fn a_sender_that_restarts_without_its_hips_leaves_them_where_they_were() {
    let clip = sample::clip("front-kick").unwrap();
    let times = [2.0_f32, 0.0];
    let mut packets = Vec::new();
    for (start, time) in times.into_iter().enumerate() {
        for frame in 0..30 {
            let sent = time + frame as f32 / 60.0;
            let all = encode_frame(clip.skeleton(), &clip.pose(frame), sent);
            // The hips are in the first packet.
            let skipped = usize::from(start == 1 && frame < 5);
            let seconds = (30 * start + frame) as f64 / 60.0;
            packets.extend(all.into_iter().skip(skipped).map(|packet| (seconds, packet)));
        }
    }
    let kept = recorded(packets.into_iter()).clip(60.0, &sample::skeleton()).unwrap();
    let least = kept.root().iter().map(|root| root.y).fold(f32::INFINITY, f32::min);
    assert!(least > 0.8, "hips at {least} m");
}

#[test]
fn a_missing_limb_is_reported_with_its_times() {
    let clip = sample::clip("front-kick").unwrap();
    let leg = [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes];
    let seconds = |frame: usize| frame as f64 / clip.fps();
    let sent = |lost: std::ops::Range<usize>| {
        let packets = (0..clip.num_frames()).flat_map(|frame| {
            let comes = |role: Role| !(lost.contains(&frame) && leg.contains(&role));
            let pose = clip.pose(frame);
            let all = encode_frame_with(clip.skeleton(), &pose, seconds(frame) as f32, None, &comes);
            all.into_iter().map(move |packet| (seconds(frame), packet))
        });
        recorded(packets).losses()
    };
    let half = clip.num_frames() / 2;
    assert_eq!(sent(0..0), []);
    // A packet that is lost is bridged and nothing to speak of.
    assert_eq!(sent(half..half + 3), []);
    for (lost, from, to) in [
        (0..half, 0.0, Some(seconds(half))),
        (half / 2..half, seconds(half / 2 - 1), Some(seconds(half))),
        (half..clip.num_frames(), seconds(half - 1), None),
    ] {
        let losses = sent(lost);
        let names: Vec<&str> = losses.iter().map(|loss| loss.joint.as_str()).collect();
        assert_eq!(names, leg.map(Role::name));
        for loss in &losses {
            // A frame is over when the next begins.
            let near = |a: f64, b: f64| (a - b).abs() < 1.5 / clip.fps();
            assert!(near(loss.from, from), "{loss:?}, {from}");
            assert!(loss.to.zip(to).is_none_or(|(a, b)| near(a, b)), "{loss:?}, {to:?}");
            assert_eq!(loss.to.is_some(), to.is_some());
        }
    }
}
