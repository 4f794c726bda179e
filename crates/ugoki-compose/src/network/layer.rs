//! Layers: parts of the body composed on their own.
//!
//! The paper's split gives the lower body the x and z rotation of abdomen and chest, which cancel the pelvis's tilt,
//! and the upper body their y rotation. Here the same is said without Euler channels: the *swing* of the torso's joints
//! goes with the lower body, their *twist* about the spine with the upper.

use std::fmt;
use std::str::FromStr;

use glam::{Quat, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ugoki_base::math::swing_twist;
use ugoki_base::signal::Part;
use ugoki_base::skeleton::{Role, Skeleton};

use super::role_weight;

/// What of a joint's rotation a layer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RotationPart {
    /// All of it.
    Whole,
    /// The bend: what is left when the twist is taken away.
    Swing,
    /// The turn about the spine.
    Twist,
}

/// A joint's rotation, or a part of it, claimed by a layer. As text: `neck`, `spine.swing`, `chest.twist`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    /// The joint's role.
    pub role: Role,
    /// What of it.
    pub part: RotationPart,
}

/// A named part of the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// As users write it: `upper`.
    pub name: String,
    /// What belongs to it.
    #[serde(default)]
    pub roles: Vec<Claim>,
    /// Joints that belong to it by their names, whole and with their paths: what has no role, such as facial
    /// expressions. Joints below them without a role go with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
}

/// A partition of the body into layers, one of them the base. What no layer claims goes with the base, toes with their
/// foot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Layers {
    layers: Vec<Layer>,
    base: usize,
}

/// Why layers are not a partition of the body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayerError {
    /// At least one is needed.
    #[error("there are no layers; give at least one")]
    None,
    /// Too many layers.
    #[error("{found} layers are too many; at most {most} are possible")]
    Many {
        /// Layers given.
        found: usize,
        /// The bound.
        most: usize,
    },
    /// Names tell layers apart.
    #[error("two layers are called {name:?}; each needs its own name")]
    Twice {
        /// The name.
        name: String,
    },
    /// The base is one of the layers.
    #[error("the base layer {name:?} is not among the layers")]
    Base {
        /// The name given.
        name: String,
    },
    /// Each part of a rotation belongs to one layer.
    #[error("{claim} is claimed by the layers {first:?} and {second:?}; each part belongs to one")]
    Overlap {
        /// What is claimed twice.
        claim: String,
        /// The first layer.
        first: String,
        /// The second.
        second: String,
    },
    /// Only the torso's joints are shared between layers.
    #[error("{claim} is not a part of the torso; only spine, chest and upperChest can be split")]
    Split {
        /// What was claimed.
        claim: String,
    },
    /// Names are those of the skeleton's joints.
    #[error("the layer {layer:?} claims the joint {joint:?}, which the skeleton has not; {}", known_expressions(.expressions))]
    Joint {
        /// The layer.
        layer: String,
        /// The name it claims.
        joint: String,
        /// The expressions that the skeleton has.
        expressions: Vec<String>,
    },
    /// A layer needs joints of the skeleton.
    #[error("the skeleton has no joint of the layer {name:?}")]
    Empty {
        /// The layer.
        name: String,
    },
}

fn known_expressions(expressions: &[String]) -> String {
    match expressions {
        [] => "it has no expressions".to_owned(),
        names => format!("its expressions are {}", names.join(", ")),
    }
}

/// One joint of a skeleton as a layer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Channel {
    /// The joint.
    pub joint: usize,
    /// What of its rotation.
    pub part: RotationPart,
    /// Axis of the twist in the joint's frame, unit.
    pub axis: Vec3,
    /// Weight w of the joint in transition costs.
    pub weight: f64,
    /// Whether the joint's place counts besides its turn, as for joints that were claimed by name.
    pub path: bool,
}

/// Whom a joint belongs to.
enum Owner {
    Layer(usize),
    Role(Role),
    Unowned,
}

/// Weight of the turns of joints that were claimed by name, and of fingers, toes, eyes and jaw in a layer that has
/// nothing else: the square of a finger's length as a fraction of the leg's.
const SMALL_WEIGHT: f64 = 0.005_7;

/// What hangs from these without a role of its own is a finger, a toe, hair or something held.
const ENDS: [Role; 5] = [Role::Head, Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];

impl Channel {
    /// The layer's part of rotation `q` of the joint.
    #[must_use]
    pub fn extract(&self, q: Quat) -> Quat {
        match self.part {
            RotationPart::Whole => q,
            RotationPart::Swing => swing_twist(q, self.axis).0,
            RotationPart::Twist => swing_twist(q, self.axis).1,
        }
    }
}

/// Layers run side by side in memory and in users' heads; more than the limbs, head, torso and face are none.
const MOST_LAYERS: usize = 8;

const TORSO: [Role; 3] = [Role::Spine, Role::Chest, Role::UpperChest];

impl Layers {
    /// Checks that no part of a rotation belongs to two layers; unclaimed parts go to the layer `base`, toes to the
    /// layer of their foot.
    ///
    /// # Errors
    /// Names the layer or part that does not fit.
    pub fn new(mut layers: Vec<Layer>, base: &str) -> Result<Self, LayerError> {
        if layers.is_empty() {
            return Err(LayerError::None);
        }
        if layers.len() > MOST_LAYERS {
            return Err(LayerError::Many { found: layers.len(), most: MOST_LAYERS });
        }
        for (i, layer) in layers.iter().enumerate() {
            if layers[..i].iter().any(|other| other.name == layer.name) {
                return Err(LayerError::Twice { name: layer.name.clone() });
            }
        }
        let at = layers
            .iter()
            .position(|layer| layer.name == base)
            .ok_or_else(|| LayerError::Base { name: base.to_owned() })?;
        let mut named: Vec<(&str, usize)> = Vec::new();
        for (i, layer) in layers.iter().enumerate() {
            for joint in &layer.joints {
                if let Some((_, first)) = named.iter().find(|(name, _)| name == joint) {
                    return Err(LayerError::Overlap {
                        claim: format!("joint {joint:?}"),
                        first: layers[*first].name.clone(),
                        second: layer.name.clone(),
                    });
                }
                named.push((joint, i));
            }
        }
        // Owner of the swing and the twist of every role.
        let mut owners = vec![[None::<usize>; 2]; Role::COUNT];
        for (i, layer) in layers.iter().enumerate() {
            for claim in &layer.roles {
                if claim.part != RotationPart::Whole && !TORSO.contains(&claim.role) {
                    return Err(LayerError::Split { claim: claim.to_string() });
                }
                for half in halves(claim.part) {
                    if let Some(first) = owners[claim.role.index()][half].replace(i) {
                        return Err(LayerError::Overlap {
                            claim: claim.to_string(),
                            first: layers[first].name.clone(),
                            second: layer.name.clone(),
                        });
                    }
                }
            }
        }
        for (&role, owner) in Role::ALL.iter().zip(&owners) {
            let part = match owner {
                [None, None] => RotationPart::Whole,
                [None, Some(_)] => RotationPart::Swing,
                [Some(_), None] => RotationPart::Twist,
                _ => continue,
            };
            let foot = match role {
                Role::LeftToes => owners[Role::LeftFoot.index()][0],
                Role::RightToes => owners[Role::RightFoot.index()][0],
                _ => None,
            };
            layers[foot.unwrap_or(at)].roles.push(Claim { role, part });
        }
        layers.iter_mut().for_each(|layer| layer.roles.sort_unstable());
        Ok(Self { layers, base: at })
    }

    /// The whole body as one layer, `full`.
    #[must_use]
    pub fn full() -> Self {
        known(vec![Layer { name: "full".to_owned(), roles: Vec::new(), joints: Vec::new() }], "full")
    }

    /// The paper's split: `lower`, the base, has hips, legs and the torso's swing; `upper` the rest.
    #[must_use]
    pub fn upper_lower() -> Self {
        let upper = Role::ALL.iter().filter(|&&role| Part::Upper.has(role)).map(|&role| {
            let part = if TORSO.contains(&role) { RotationPart::Twist } else { RotationPart::Whole };
            Claim { role, part }
        });
        let upper = Layer { name: "upper".to_owned(), roles: upper.collect(), joints: Vec::new() };
        known(vec![upper, Layer { name: "lower".to_owned(), roles: Vec::new(), joints: Vec::new() }], "lower")
    }

    /// Head, arms and legs on their own: `legs`, the base, with hips and torso swing; `arms` with the torso's twist.
    #[must_use]
    pub fn head_arms_legs() -> Self {
        let head = Role::ALL.iter().filter(|&&role| Part::Head.has(role));
        let arms = Role::ALL.iter().filter(|&&role| Part::LeftArm.has(role) || Part::RightArm.has(role));
        let whole = |&role: &Role| Claim { role, part: RotationPart::Whole };
        let twist = TORSO.iter().map(|&role| Claim { role, part: RotationPart::Twist });
        let layers = vec![
            Layer { name: "head".to_owned(), roles: head.map(whole).collect(), joints: Vec::new() },
            Layer {
                name: "arms".to_owned(),
                roles: arms.map(whole).chain(twist).collect(),
                joints: Vec::new(),
            },
            Layer { name: "legs".to_owned(), roles: Vec::new(), joints: Vec::new() },
        ];
        known(layers, "legs")
    }

    /// The layers in order.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Place of the base layer.
    #[must_use]
    pub fn base(&self) -> usize {
        self.base
    }

    /// Place of the layer of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// The layer that owns a part of a role; asked for the whole, the owner of the swing.
    #[must_use]
    pub fn owner(&self, claim: Claim) -> usize {
        let covers = |own: &Claim| {
            own.role == claim.role && (own.part == RotationPart::Whole || own.part == claim.part)
        };
        let swing = Claim { part: RotationPart::Swing, ..claim };
        let covers_swing = |own: &Claim| own.role == claim.role && own.part == swing.part;
        self.layers
            .iter()
            .position(|layer| layer.roles.iter().any(covers))
            .or_else(|| self.layers.iter().position(|layer| layer.roles.iter().any(covers_swing)))
            .unwrap_or(self.base)
    }

    /// The joints of `skeleton` that layer `layer` has. A joint without a role goes with its nearest ancestor that has
    /// one; joints above the hips belong to none, because the hips are taken as they stand in the world.
    ///
    /// # Errors
    /// When the skeleton has no joint of the layer, or not one that it claims by name.
    pub fn channels(&self, layer: usize, skeleton: &Skeleton) -> Result<Vec<Channel>, LayerError> {
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let rest = skeleton.rest_positions();
        let top = skeleton.find(Role::Neck).or_else(|| skeleton.find(Role::Head));
        let mut channels = Vec::new();
        if let Some(joint) = self.layers[layer].joints.iter().find(|name| skeleton.find_name(name).is_none())
        {
            let name = |joint| skeleton.joint(joint).name.clone();
            let expressions = skeleton.expressions().map(name).collect();
            let layer = self.layers[layer].name.clone();
            return Err(LayerError::Joint { layer, joint: joint.clone(), expressions });
        }
        let claimed = |joint: usize| {
            let name = &skeleton.joint(joint).name;
            self.layers.iter().position(|layer| layer.joints.contains(name))
        };
        for joint in 0..skeleton.num_joints() {
            let axis = top.map_or(Vec3::Y, |top| (rest[top] - rest[joint]).normalize_or(Vec3::Y));
            let mut at = joint;
            // By name, by role, or with the nearest joint above that has either.
            let owner = loop {
                match (claimed(at), skeleton.joint(at).role, skeleton.parent(at)) {
                    (Some(owner), ..) => break Owner::Layer(owner),
                    (None, Some(role), _) => break Owner::Role(role),
                    (None, None, Some(parent)) if at != hips => at = parent,
                    _ if at == hips => break Owner::Role(Role::Hips),
                    _ => break Owner::Unowned,
                }
            };
            match owner {
                Owner::Layer(owner) if owner == layer => channels.push(Channel {
                    joint,
                    part: RotationPart::Whole,
                    axis,
                    weight: SMALL_WEIGHT,
                    path: true,
                }),
                Owner::Role(role) if skeleton.is_below(joint, hips) => {
                    let claims = self.layers[layer].roles.iter().filter(|claim| claim.role == role);
                    let hangs = skeleton.joint(joint).role.is_none() && ENDS.contains(&role);
                    let weight = if hangs { 0.0 } else { role_weight(role) };
                    channels.extend(claims.map(|claim| Channel {
                        joint,
                        part: claim.part,
                        axis,
                        weight,
                        path: false,
                    }));
                }
                _ => {}
            }
        }
        if channels.is_empty() {
            return Err(LayerError::Empty { name: self.layers[layer].name.clone() });
        }
        if channels.iter().all(|channel| channel.weight == 0.0) {
            channels.iter_mut().for_each(|channel| channel.weight = SMALL_WEIGHT);
        }
        Ok(channels)
    }
}

/// Layers that are right by construction.
fn known(layers: Vec<Layer>, base: &str) -> Layers {
    match Layers::new(layers, base) {
        Ok(layers) => layers,
        Err(error) => unreachable!("{error}"),
    }
}

fn halves(part: RotationPart) -> std::ops::Range<usize> {
    match part {
        RotationPart::Whole => 0..2,
        RotationPart::Swing => 0..1,
        RotationPart::Twist => 1..2,
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            RotationPart::Whole => write!(f, "{}", self.role),
            RotationPart::Swing => write!(f, "{}.swing", self.role),
            RotationPart::Twist => write!(f, "{}.twist", self.role),
        }
    }
}

impl FromStr for Claim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, part) = match text.split_once('.') {
            None => (text, RotationPart::Whole),
            Some((name, "swing")) => (name, RotationPart::Swing),
            Some((name, "twist")) => (name, RotationPart::Twist),
            Some(_) => {
                return Err(format!(
                    "{text:?} is not a part of a joint; use a role, role.swing or role.twist"
                ));
            }
        };
        let role = Role::from_name(name).ok_or_else(|| format!("{name:?} is not a VRM humanoid bone"))?;
        Ok(Self { role, part })
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Layers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Plain {
            layers: Vec<Layer>,
            base: Base,
        }
        /// Written as a place, and by users as a name.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Base {
            Place(usize),
            Name(String),
        }
        let plain = Plain::deserialize(deserializer)?;
        let name = match plain.base {
            Base::Name(name) => name,
            Base::Place(at) => {
                plain.layers.get(at).map_or_else(|| at.to_string(), |layer| layer.name.clone())
            }
        };
        Self::new(plain.layers, &name).map_err(serde::de::Error::custom)
    }
}
