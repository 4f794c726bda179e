//! How two skeletons differ, in words.

use super::Skeleton;

/// Rest offsets nearer than this, metres, count as the same length.
const SAME_LENGTH: f32 = 5e-5;
/// Joints that are named as examples.
const EXAMPLES: usize = 3;

/// What a reader needs to see which skeleton is which: joints that only one has, other orders, other lengths. `None`
/// when they are the same.
#[must_use]
pub fn difference(a: &Skeleton, b: &Skeleton) -> Option<String> {
    if a == b {
        return None;
    }
    let names = |skeleton: &Skeleton| -> Vec<String> {
        skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
    };
    let (ours, theirs) = (names(a), names(b));
    let only = |own: &[String], other: &[String]| -> Vec<String> {
        own.iter().filter(|name| !other.contains(name)).cloned().collect()
    };
    let (first, second) = (only(&ours, &theirs), only(&theirs, &ours));
    if !first.is_empty() || !second.is_empty() {
        let listed = |names: &[String]| {
            let more = names.len().saturating_sub(EXAMPLES);
            let mut text = names[..names.len() - more].join(", ");
            if more > 0 {
                text += &format!(" and {more} more");
            }
            text
        };
        let mut parts = vec![format!("{} joints against {}", ours.len(), theirs.len())];
        for (which, names) in [("first", &first), ("second", &second)] {
            if !names.is_empty() {
                parts.push(format!("only the {which} has {}", listed(names)));
            }
        }
        return Some(parts.join(", "));
    }
    let hung = |skeleton: &Skeleton, name: &str| {
        let joint = skeleton.joints().iter().find(|joint| joint.name == name)?;
        joint.parent.map(|parent| skeleton.joint(parent).name.clone())
    };
    if let Some(name) = ours.iter().find(|name| hung(a, name) != hung(b, name)) {
        let above = |skeleton| hung(skeleton, name).unwrap_or_else(|| "nothing".to_owned());
        return Some(format!("{name} hangs from {} against {}", above(a), above(b)));
    }
    // The same joints, so lengths, directions, roles or tips differ.
    let length = |skeleton: &Skeleton, name: &str| {
        skeleton.joints().iter().find(|joint| joint.name == name).map_or(0.0, |joint| joint.offset.length())
    };
    let apart = |name: &String| (length(a, name) - length(b, name)).abs();
    let widest = ours.iter().max_by(|x, y| apart(x).total_cmp(&apart(y)))?;
    if apart(widest) > SAME_LENGTH {
        let (one, other) = (100.0 * length(a, widest), 100.0 * length(b, widest));
        return Some(format!(
            "the same joints with other lengths, {widest} {one:.1} cm against {other:.1} cm"
        ));
    }
    Some("the same joints in another rest pose or order".to_owned())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::skeleton::Joint;

    #[test]
    fn a_difference_names_what_one_would_look_for() {
        let chain = ["hips", "thigh", "shin", "foot", "toes", "claw"];
        let joint = |at: usize| Joint::new(chain[at], at.checked_sub(1), Vec3::NEG_Y * 0.1);
        let skeleton = Skeleton::build((0..chain.len()).map(joint).collect()).unwrap();
        assert_eq!(difference(&skeleton, &skeleton), None);
        let changed = |change: &dyn Fn(&mut Vec<Joint>)| {
            let mut joints = skeleton.joints().to_vec();
            change(&mut joints);
            difference(&skeleton, &Skeleton::build(joints).unwrap()).unwrap()
        };
        let longer = changed(&|joints| joints[5].offset *= 2.0);
        assert!(longer.contains(&skeleton.joint(5).name) && longer.contains("other lengths"), "{longer}");
        let more = changed(&|joints| joints.push(Joint::new("tail", Some(0), Vec3::NEG_Z)));
        assert!(more.contains("only the second has tail"), "{more}");
        let hung = changed(&|joints| joints.last_mut().unwrap().parent = Some(0));
        assert!(hung.contains("hangs from"), "{hung}");
    }
}
