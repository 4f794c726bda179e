//! Recordings over a network that loses and swaps packets.

use ugoki::live::{Assembler, encode_frame};
use ugoki::math::Random;
use ugoki::sample;
use ugoki_studio::live::{RecordError, Recorder};

const SEED: u64 = 20_261_117;

/// Mean and greatest angle, degrees, between the motion that was sent and the one recorded when `lost` of all packets are lost
/// and as many change places with the next.
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
    for packet in ugoki::live::encode_messages(&[tracker("a", 1.0), tracker("b", 0.1)]) {
        assert!(assembler.packet(&packet).is_empty());
    }
    assert!(recorder.push(0.0, assembler.finish().unwrap()));
    let error = recorder.clip(60.0, &sample::skeleton()).unwrap_err();
    assert_eq!(error, RecordError::Trackers { count: 2 });
    assert!(error.to_string().contains("bones"));
}
