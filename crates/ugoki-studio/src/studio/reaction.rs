//! The numbers of a reaction as a page draws them.

use ugoki::clip::Clip;
use ugoki::react::{NamedFrame, ReactionReport};
use ugoki::skeleton::Role;

use super::protocol::Reaction;

/// One value per frame of the report; roles become joints of the clip.
pub(super) fn reaction(clip: &Clip, report: &ReactionReport) -> Reaction {
    let roles: Vec<(&String, usize)> = (report.frames.first())
        .map(|frame| {
            let joint = |role: &str| clip.skeleton().find(Role::from_name(role)?);
            frame.load.keys().filter_map(|role| Some((role, joint(role)?))).collect()
        })
        .unwrap_or_default();
    let pair = |[x, z]: [f64; 2]| [x as f32, z as f32];
    let load = |role: &String| {
        report.frames.iter().map(|frame| frame.load.get(role).copied().unwrap_or(0.0) as f32).collect()
    };
    let added = |role: &String| {
        let axis = |frame: &NamedFrame| frame.correction_axes.get(role).copied();
        report.frames.iter().map(|frame| axis(frame).unwrap_or_default().map(|x| x as f32)).collect()
    };
    let thrown = report.frames.iter().map(|frame| frame.bodies.len()).max().unwrap_or(0);
    let place = |frame: &NamedFrame, body: usize| {
        let place = frame.bodies.get(body)?.as_ref()?;
        Some(place.position_m.map(|x| x as f32))
    };
    Reaction {
        bodies: (0..thrown)
            .map(|body| report.frames.iter().map(|frame| place(frame, body)).collect())
            .collect(),
        recovered: report.recovered,
        fell_at_s: report.fell_at_s.map(|t| t as f32),
        first: clip.motion_frames().start as u32,
        margin_m: report.frames.iter().map(|frame| frame.margin_m.map(|margin| margin as f32)).collect(),
        zmp: report.frames.iter().map(|frame| frame.zmp.map(pair)).collect(),
        polygon: report
            .frames
            .iter()
            .map(|frame| frame.polygon.iter().copied().map(pair).collect())
            .collect(),
        joints: roles.iter().map(|(_, joint)| *joint as u32).collect(),
        load: roles.iter().map(|(role, _)| load(role)).collect(),
        corrections: roles.iter().map(|(role, _)| added(role)).collect(),
    }
}
