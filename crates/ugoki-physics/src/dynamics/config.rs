//! What a caller may choose about a body; every field has a default, so `{}` is a whole configuration.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::skeleton::{Role, Skeleton};

use super::build::{Proportions, STANDARD_GRAVITY};

/// How to build a body; see the fields' defaults in [`BodyConfig::default`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyConfig {
    /// Mass of the body without loads, kg.
    pub mass_kg: f64,
    /// Stature, m; estimated from the skeleton when absent.
    pub stature_m: Option<f64>,
    /// Whose proportions spread the mass.
    pub proportions: Proportions,
    /// Free fall, m/s², downward.
    pub gravity_m_s2: f64,
    /// Factor on all strengths of the table.
    pub strength: f64,
    /// What differs from the tables, link by link, by the role of the link's joint.
    pub links: BTreeMap<Role, LinkOverride>,
    /// Masses welded on, beyond `mass_kg`.
    pub loads: Vec<Load>,
}

impl Default for BodyConfig {
    /// 65 kg, mean proportions, standard gravity, the tables' strengths, no loads.
    fn default() -> Self {
        Self {
            mass_kg: 65.0,
            stature_m: None,
            proportions: Proportions::default(),
            gravity_m_s2: STANDARD_GRAVITY,
            strength: 1.0,
            links: BTreeMap::new(),
            loads: Vec::new(),
        }
    }
}

/// What differs from the tables at one link; the rest of the body's mass is distributed over the other links.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkOverride {
    /// Mass, kg; inertia scales with it.
    pub mass_kg: Option<f64>,
    /// Centre of mass in the link's frame, m.
    pub com_m: Option<[f64; 3]>,
    /// Rotational inertia about the centre, kg·m²: xx, yy, zz, xy, xz, yz.
    pub inertia_kg_m2: Option<[f64; 6]>,
    /// A hinge's axis in rest axes, any length; see [`measured_axes`](super::measured_axes).
    pub axis: Option<[f64; 3]>,
    /// Factor on the joint's strength.
    pub strength: Option<f64>,
    /// Range from the anatomical neutral pose, degrees: flexion, abduction, internal rotation, each least and
    /// greatest; a hinge reads the first pair.
    pub limits_deg: Option<[[f64; 2]; 3]>,
}

/// A mass welded to the link that carries a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Role of the joint it is measured from.
    pub role: Role,
    /// Mass, kg.
    pub mass_kg: f64,
    /// Centre from the joint, rest axes, m.
    #[serde(default)]
    pub offset_m: [f64; 3],
    /// Radius of a solid ball with the load's inertia, m; 0 is a point.
    #[serde(default)]
    pub radius_m: f64,
}

/// Half of the trunk's thickness at the chest, fraction of stature: a chest 24 cm deep at 1.75 m, our estimate.
const HALF_CHEST: f64 = 0.07;

impl Load {
    /// A mass that lies on the shoulder blades of a body `stature_m` tall, welded to the chest, or to the upper chest
    /// or spine of a skeleton without one.
    ///
    /// Its centre is at the height of the shoulders, where packs that are worn high have theirs, and on the skin: half
    /// of the trunk's thickness behind the line from shoulder to shoulder. Without shoulders it is that far behind the
    /// chest's joint.
    #[must_use]
    pub fn on_back(skeleton: &Skeleton, stature_m: f64, mass_kg: f64) -> Self {
        let positions = skeleton.rest_positions();
        let at = |role: Role| skeleton.find(role).map(|joint| positions[joint].as_dvec3());
        let shoulders = at(Role::LeftUpperArm).zip(at(Role::RightUpperArm)).map(|(a, b)| 0.5 * (a + b));
        let roles = [Role::Chest, Role::UpperChest, Role::Spine];
        let role = roles.into_iter().find(|&role| skeleton.find(role).is_some()).unwrap_or(Role::Chest);
        let from = at(role).unwrap_or(DVec3::ZERO);
        let mut offset = shoulders.unwrap_or(from) - from;
        offset.x = 0.0;
        offset.z -= HALF_CHEST * stature_m;
        Self { role, mass_kg, offset_m: offset.to_array(), radius_m: 0.0 }
    }
}
