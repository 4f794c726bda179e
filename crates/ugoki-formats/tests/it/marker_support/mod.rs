//! C3D files built in memory, and markers fixed to the sample actor.

#![allow(dead_code, reason = "each test file uses some of it")]

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::markers::Markers;
use ugoki_base::math::Random;
use ugoki_base::skeleton::Role;
use ugoki_sample::STATURE;

/// Processor type of the written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    /// Little endian.
    Intel,
    /// VAX.
    Dec,
    /// Big endian.
    Mips,
}

/// What to write.
#[derive(Debug, Clone)]
pub(crate) struct C3d {
    /// Byte order and reals.
    pub(crate) processor: Processor,
    /// Negative for real points.
    pub(crate) scale: f32,
    /// Names, as many as points.
    pub(crate) labels: Vec<String>,
    /// Point after point within a frame, frame after frame, file units; `None` is not seen.
    pub(crate) frames: Vec<Vec<Option<Vec3>>>,
    /// Frames per second.
    pub(crate) rate: f32,
    /// Analog channels, one sample per frame.
    pub(crate) analog: u16,
    /// POINT:UNITS.
    pub(crate) unit: &'static str,
    /// POINT:Y_SCREEN.
    pub(crate) up: &'static str,
}

impl C3d {
    fn i16(&self, out: &mut Vec<u8>, x: i16) {
        match self.processor {
            Processor::Mips => out.extend(x.to_be_bytes()),
            _ => out.extend(x.to_le_bytes()),
        }
    }

    fn f32(&self, out: &mut Vec<u8>, x: f32) {
        match self.processor {
            Processor::Intel => out.extend(x.to_le_bytes()),
            Processor::Mips => out.extend(x.to_be_bytes()),
            Processor::Dec => {
                let bits = if x == 0.0 { 0 } else { x.to_bits() + (2 << 23) };
                let b = bits.to_le_bytes();
                out.extend([b[2], b[3], b[0], b[1]]);
            }
        }
    }

    fn group(&self, out: &mut Vec<u8>, id: u8, name: &str) {
        out.extend([name.len() as u8, (id as i8).wrapping_neg() as u8]);
        out.extend(name.as_bytes());
        self.i16(out, 3);
        out.push(0);
    }

    fn parameter(&self, out: &mut Vec<u8>, id: u8, name: &str, kind: i8, dims: &[u8], data: &[u8]) {
        out.extend([name.len() as u8, id]);
        out.extend(name.as_bytes());
        self.i16(out, (2 + 2 + dims.len() + data.len() + 1) as i16);
        out.extend([kind as u8, dims.len() as u8]);
        out.extend(dims);
        out.extend(data);
        out.push(0);
    }

    fn text(&self, out: &mut Vec<u8>, id: u8, name: &str, texts: &[String], width: usize) {
        let data: Vec<u8> = texts.iter().flat_map(|t| format!("{t:<width$}").into_bytes()).collect();
        self.parameter(out, id, name, -1, &[width as u8, texts.len() as u8], &data);
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut p = vec![
            1,
            0x50,
            0,
            match self.processor {
                Processor::Intel => 84,
                Processor::Dec => 85,
                Processor::Mips => 86,
            },
        ];
        let word = |x: i16| {
            let mut b = Vec::new();
            self.i16(&mut b, x);
            b
        };
        let real = |x: f32| {
            let mut b = Vec::new();
            self.f32(&mut b, x);
            b
        };
        let frames = self.frames.len();
        self.group(&mut p, 1, "POINT");
        self.parameter(&mut p, 1, "USED", 2, &[], &word(self.labels.len() as i16));
        self.parameter(&mut p, 1, "SCALE", 4, &[], &real(self.scale));
        self.parameter(&mut p, 1, "RATE", 4, &[], &real(self.rate));
        self.parameter(&mut p, 1, "FRAMES", 2, &[], &word(frames.min(65535) as u16 as i16));
        self.text(&mut p, 1, "UNITS", &[self.unit.to_owned()], self.unit.len());
        self.text(&mut p, 1, "X_SCREEN", &["+X".to_owned()], 2);
        self.text(&mut p, 1, "Y_SCREEN", &[self.up.to_owned()], 2);
        for (part, labels) in self.labels.chunks(255).enumerate() {
            let name = if part == 0 { "LABELS".to_owned() } else { format!("LABELS{}", part + 1) };
            self.text(&mut p, 1, &name, labels, 12);
        }
        self.group(&mut p, 2, "TRIAL");
        let both = |x: usize| [word((x & 0xffff) as u16 as i16), word((x >> 16) as i16)].concat();
        self.parameter(&mut p, 2, "ACTUAL_START_FIELD", 2, &[2], &both(1));
        self.parameter(&mut p, 2, "ACTUAL_END_FIELD", 2, &[2], &both(frames));
        p.push(0);
        p.push(0);
        let blocks = p.len().div_ceil(512);
        p[2] = blocks as u8;
        p.resize(blocks * 512, 0);
        let mut out = vec![2, 0x50];
        self.i16(&mut out, self.labels.len() as i16);
        self.i16(&mut out, self.analog as i16);
        self.i16(&mut out, 1);
        self.i16(&mut out, frames.min(65535) as u16 as i16);
        self.i16(&mut out, 0);
        self.f32(&mut out, self.scale);
        self.i16(&mut out, 2 + blocks as i16);
        self.i16(&mut out, 1);
        self.f32(&mut out, self.rate);
        out.resize(512, 0);
        out.extend(p);
        for frame in &self.frames {
            for point in frame {
                self.point(&mut out, *point);
            }
            for channel in 0..self.analog {
                if self.scale < 0.0 { self.f32(&mut out, f32::from(channel)) } else { self.i16(&mut out, 7) }
            }
        }
        out.resize(out.len().div_ceil(512) * 512, 0);
        out
    }

    fn point(&self, out: &mut Vec<u8>, point: Option<Vec3>) {
        let p = point.unwrap_or(Vec3::splat(1.0));
        if self.scale < 0.0 {
            for x in p.to_array() {
                self.f32(out, x);
            }
            self.f32(out, if point.is_some() { 0.0 } else { -1.0 });
        } else {
            for x in p.to_array() {
                self.i16(out, (x / self.scale).round() as i16);
            }
            self.i16(out, if point.is_some() { 0 } else { -1 });
        }
    }
}

/// Across knee, ankle and elbow of the sample actor, metres: the fractions of stature of Ross and Wilson's phantom.
const KNEE: f32 = 0.0952 / 1.7018 * STATURE as f32;
const ANKLE: f32 = 0.2171 / std::f32::consts::PI / 1.7018 * STATURE as f32;
const ELBOW: f32 = 0.0648 / 1.7018 * STATURE as f32;
/// Half a marker of 14 mm.
const RADIUS: f32 = 0.007;

/// Where the Plug-in Gait markers sit on the sample actor: label, joint, place in the joint's frame.
fn seats(clip: &Clip, medial: bool) -> Vec<(String, usize, Vec3)> {
    let skeleton = clip.skeleton();
    let joint = |role: Role| skeleton.find(role).expect("a joint of the sample actor");
    let h = STATURE as f32;
    let mut seats: Vec<(String, usize, Vec3)> = Vec::new();
    // The pelvis of Harrington's equations for hip joints 0.052 H from the midline and 0.16 m of depth.
    let (hip, hips_above, depth) = (0.052 * h, 0.017 * h, 0.16);
    let width = (hip - 0.0073) / 0.33;
    let (up, forward) = (0.30 * width + 0.0109 - hips_above, 0.24 * depth + 0.0099);
    for (letter, sign) in [("L", 1.0f32), ("R", -1.0)] {
        let left = sign > 0.0;
        let pick = |l: Role, r: Role| joint(if left { l } else { r });
        let mut add = |name: &str, at: usize, x: f32, y: f32, z: f32| {
            seats.push((format!("{letter}{name}"), at, Vec3::new(sign * x, y, z)));
        };
        add("ASI", joint(Role::Hips), 0.5 * width, up, forward);
        add("PSI", joint(Role::Hips), 0.05, up, forward - depth);
        let (thigh, shank) = (0.245 * h, 0.246 * h);
        let (upper, lower) =
            (pick(Role::LeftUpperLeg, Role::RightUpperLeg), pick(Role::LeftLowerLeg, Role::RightLowerLeg));
        add("THI", upper, 0.09, -0.2, 0.012);
        add("KNE", upper, 0.5 * KNEE + RADIUS, -thigh, 0.0);
        add("TIB", lower, 0.06, -0.2, 0.01);
        add("ANK", lower, 0.5 * ANKLE + RADIUS, -shank, 0.0);
        let foot = pick(Role::LeftFoot, Role::RightFoot);
        let toes = skeleton.joint(pick(Role::LeftToes, Role::RightToes)).offset;
        add("HEE", foot, 0.0, toes.y, -0.065);
        add("TOE", foot, 0.0, toes.y, toes.z);
        let girdle = pick(Role::LeftShoulder, Role::RightShoulder);
        let shoulder = skeleton.joint(pick(Role::LeftUpperArm, Role::RightUpperArm)).offset.x.abs();
        add("SHO", girdle, shoulder, 0.17 * 2.0 * 0.129 * h, 0.0);
        let (arm, forearm) =
            (pick(Role::LeftUpperArm, Role::RightUpperArm), pick(Role::LeftLowerArm, Role::RightLowerArm));
        add("UPA", arm, 0.15, 0.055, 0.0);
        add("ELB", arm, 0.186 * h, 0.5 * ELBOW + RADIUS, 0.0);
        add("FRM", forearm, 0.12, 0.04, 0.0);
        add("WRA", forearm, 0.146 * h, 0.0, 0.035);
        add("WRB", forearm, 0.146 * h, 0.0, -0.035);
        add("FIN", pick(Role::LeftHand, Role::RightHand), 0.09, 0.0, 0.0);
        add("FHD", joint(Role::Head), 0.07, 0.05 * h, 0.09);
        add("BHD", joint(Role::Head), 0.07, 0.05 * h, -0.09);
        if medial {
            add("KNM", upper, -0.5 * KNEE - RADIUS, -thigh, 0.0);
            add("MED", lower, -0.5 * ANKLE - RADIUS, -shank, 0.0);
            add("ELM", arm, 0.186 * h, -0.5 * ELBOW - RADIUS, 0.0);
        }
    }
    let chest = joint(Role::UpperChest);
    let neck = skeleton.joint(joint(Role::Neck)).offset;
    for (name, x, y, z) in [
        ("C7", 0.0, neck.y, -0.05),
        ("CLAV", 0.0, neck.y, 0.10),
        ("T10", 0.0, neck.y - 0.25, -0.06),
        ("STRN", 0.0, neck.y - 0.25, 0.11),
        ("RBAK", -0.08, neck.y - 0.12, -0.07),
    ] {
        seats.push((name.to_owned(), chest, Vec3::new(x, y, z)));
    }
    seats
}

/// Plug-in Gait markers on a clip of the sample actor.
pub(crate) fn plug_in_gait(clip: &Clip, medial: bool) -> Markers {
    let seats = seats(clip, medial);
    let poses = clip.model_poses();
    let points =
        seats.iter().flat_map(|(_, joint, at)| poses.iter().map(|pose| pose.point(*joint, *at))).collect();
    let labels = seats.iter().map(|(label, ..)| label.clone()).collect();
    Markers::new(labels, clip.fps(), points).expect("as many points as labels and frames")
}

/// The same markers with noise of `deviation` metres on each coordinate.
pub(crate) fn with_noise(markers: &Markers, deviation: f32, seed: u64) -> Markers {
    let mut random = Random::new(seed);
    map(markers, |p, _, _| p + Vec3::from_array(std::array::from_fn(|_| deviation * random.normal() as f32)))
}

/// The same markers, turned and moved.
pub(crate) fn moved(markers: &Markers, turn: Quat, shift: Vec3) -> Markers {
    map(markers, |p, _, _| turn * p + shift)
}

/// Every position changed: position, marker, frame.
pub(crate) fn map(markers: &Markers, mut f: impl FnMut(Vec3, usize, usize) -> Vec3) -> Markers {
    let mut points = Vec::new();
    for marker in 0..markers.labels().len() {
        for (frame, p) in markers.track(marker).iter().enumerate() {
            points.push(f(*p, marker, frame));
        }
    }
    markers.with_points(points)
}
