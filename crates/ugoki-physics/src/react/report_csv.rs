//! Frames of a reaction as a table.

use std::fmt::Write as _;

use super::named_reaction::{NamedFrame, ReactionReport};

impl ReactionReport {
    /// As comma-separated values: a header line, then one row per frame; missing values are empty cells.
    #[must_use]
    pub fn csv(&self) -> String {
        csv(&self.frames)
    }
}

/// Comma-separated values with a header line, one row per frame.
fn csv(frames: &[NamedFrame]) -> String {
    let joints: Vec<&String> = frames.first().map(|f| f.torque.keys().collect()).unwrap_or_default();
    let mut out = String::from(
        "t_s,tracking_error_deg,root_error_m,world_offset_m,zmp_x_m,zmp_z_m,margin_m,arms_rad_s2,back_rad_s2,lower_rad_s2,flagged,falling",
    );
    for foot in ["left", "right"] {
        for axis in ["x", "y", "z"] {
            let _ = write!(out, ",{foot}_foot_{axis}_n");
        }
    }
    for what in ["other_ground", "residual"] {
        for axis in ["x", "y", "z"] {
            let _ = write!(out, ",{what}_{axis}_n");
        }
    }
    for joint in &joints {
        let _ = write!(out, ",torque_{joint}_n_m");
    }
    for what in ["passive_torque_{}_n_m", "load_{}", "target_load_{}"] {
        for joint in &joints {
            let _ = write!(out, ",{}", what.replace("{}", joint));
        }
    }
    out.push_str(",clamped,impossible");
    out.push('\n');
    for frame in frames {
        row(frame, &joints, &mut out);
    }
    out
}

fn row(frame: &NamedFrame, joints: &[&String], out: &mut String) {
    let cell = |value: Option<f64>| match value.filter(|v| v.is_finite()) {
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let zmp = |axis: usize| cell(frame.zmp.map(|p| p[axis]));
    let mut cells = vec![
        cell(Some(frame.t)),
        cell(Some(frame.tracking_error_deg)),
        cell(Some(frame.root_error_m)),
        cell(Some(frame.world_offset_m)),
        zmp(0),
        zmp(1),
        cell(frame.margin_m),
        cell(Some(frame.corrections.arms)),
        cell(Some(frame.corrections.back)),
        cell(Some(frame.corrections.lower)),
        u8::from(frame.flagged).to_string(),
        u8::from(frame.falling).to_string(),
    ];
    let forces =
        [frame.feet[0].force_n, frame.feet[1].force_n, frame.other_ground_force_n, frame.residual_force_n];
    cells.extend(forces.iter().flatten().map(|force| cell(Some(*force))));
    cells.extend(joints.iter().map(|joint| cell(frame.torque.get(*joint).copied())));
    cells.extend(
        joints.iter().map(|joint| cell(Some(frame.passive_torque.get(*joint).copied().unwrap_or(0.0)))),
    );
    for loads in [&frame.load, &frame.target_load] {
        cells.extend(joints.iter().map(|joint| cell(loads.get(*joint).copied())));
    }
    cells.push(frame.clamped.join(" "));
    cells.push(frame.impossible.join(" "));
    out.push_str(&cells.join(","));
    out.push('\n');
}
