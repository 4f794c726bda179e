//! Roles from names: what each name says, resolved by the tree.
//!
//! Limbs come first: every root-to-leaf path is read once, keeping the first joint of each class, and the
//! best-filled path of each side is the limb. Then the trunk is what lies between: the hips are where both
//! legs and the upper body part, the back is the chain from there to the neck. So a `shoulder` is the
//! clavicle where an upper arm follows and the upper arm where an elbow follows, and a `root` is the hips
//! where nothing better is. Roles that the tree does not bear out are not given: a leg needs its knee.

use super::words::{Finger, Meaning, Part, bare_names, meaning};
use super::{Joint, Role, Side};

/// Roles by names, one place per joint.
pub(super) fn roles_from_names(joints: &[Joint]) -> Vec<Option<Role>> {
    let tree = Tree::new(joints);
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let meanings = meanings(&names);
    let mut found = Found { roles: vec![None; joints.len()] };

    let legs = [Side::Left, Side::Right].map(|side| find_leg(&tree, &names, &meanings, side));
    let arms = [Side::Left, Side::Right].map(|side| find_arm(&tree, &meanings, side));
    for (side, leg) in [Side::Left, Side::Right].into_iter().zip(&legs) {
        for (joint, role) in
            leg.iter().zip([Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes])
        {
            found.give(*joint, role, side);
        }
    }
    for (side, arm) in [Side::Left, Side::Right].into_iter().zip(&arms) {
        for (joint, role) in
            arm.iter().zip([Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand])
        {
            found.give(*joint, role, side);
        }
        if let Some(hand) = arm[3] {
            find_fingers(&tree, &meanings, hand, side, &mut found);
        }
    }
    find_trunk(&tree, &meanings, &legs, &arms, &mut found);
    found.roles
}

/// What each name says.
fn meanings(names: &[&str]) -> Vec<Meaning> {
    let bare = bare_names(names);
    let sorted = {
        let mut sorted = bare.clone();
        sorted.sort_unstable();
        sorted
    };
    let read = |name: &&str| {
        // `__UpLeg_L` next to `UpLeg_L` only carries the offset of the joint it is named after.
        let plain = name.trim_start_matches('_');
        if plain != *name && sorted.binary_search(&plain).is_ok() {
            return Meaning { side: None, part: Part::Helper };
        }
        meaning(name)
    };
    bare.iter().map(read).collect()
}

/// Whether a joint is called a tail.
pub(super) fn has_tail(joints: &[Joint]) -> bool {
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    meanings(&names).iter().any(|says| says.part == Part::Tail)
}

/// The joints of a back, from the hips up, that are spine, chest and upper chest: the first, the middle and
/// the last of more than three.
pub(super) fn back_roles(back: &[usize]) -> impl Iterator<Item = (usize, Role)> {
    let chosen = match *back {
        [first, .., last] if back.len() > 3 => vec![first, back[back.len() / 2], last],
        _ => back.to_vec(),
    };
    chosen.into_iter().zip([Role::Spine, Role::Chest, Role::UpperChest])
}

/// Which joint is an ancestor of which; a parent that does not stand earlier is taken for none.
pub(super) struct Tree {
    pub(super) parents: Vec<Option<usize>>,
    depths: Vec<usize>,
    /// Place of each joint when children follow their parents at once, and the place after its last descendant.
    spans: Vec<(usize, usize)>,
}

impl Tree {
    pub(super) fn new(joints: &[Joint]) -> Self {
        let parents: Vec<Option<usize>> =
            joints.iter().enumerate().map(|(i, joint)| joint.parent.filter(|&p| p < i)).collect();
        let mut depths: Vec<usize> = Vec::with_capacity(joints.len());
        for parent in &parents {
            depths.push(parent.map_or(0, |p| depths[p] + 1));
        }
        let mut sizes = vec![1; joints.len()];
        for joint in (0..joints.len()).rev() {
            if let Some(parent) = parents[joint] {
                sizes[parent] += sizes[joint];
            }
        }
        let mut next_child = vec![0; joints.len()];
        let mut next_root = 0;
        let mut spans = Vec::with_capacity(joints.len());
        for joint in 0..joints.len() {
            let next = match parents[joint] {
                Some(parent) => &mut next_child[parent],
                None => &mut next_root,
            };
            let start = *next;
            *next += sizes[joint];
            next_child[joint] = start + 1;
            spans.push((start, start + sizes[joint]));
        }
        Self { parents, depths, spans }
    }

    /// The deepest joint that both are below, or are.
    pub(super) fn common(&self, mut a: usize, mut b: usize) -> Option<usize> {
        while a != b {
            if self.depths[a] < self.depths[b] {
                b = self.parents[b]?;
            } else {
                a = self.parents[a]?;
            }
        }
        Some(a)
    }

    /// Joints strictly between `top` and `below`, from the top; empty when `below` is not below `top`.
    pub(super) fn between(&self, top: usize, below: usize) -> Vec<usize> {
        if !self.is_below(below, top) {
            return Vec::new();
        }
        let mut path: Vec<usize> = std::iter::successors(self.parents[below], |&joint| self.parents[joint])
            .take_while(|&j| j != top)
            .collect();
        path.reverse();
        path
    }

    /// Whether `joint` is `top` or below it.
    pub(super) fn is_below(&self, joint: usize, top: usize) -> bool {
        (self.spans[top].0..self.spans[top].1).contains(&self.spans[joint].0)
    }
}

struct Found {
    roles: Vec<Option<Role>>,
}

impl Found {
    /// Gives `role`, mirrored for the right, to `joint` unless one of them is taken.
    fn give(&mut self, joint: Option<usize>, role: Role, side: Side) {
        let role = if side == Side::Right { role.mirrored() } else { role };
        if let Some(joint) = joint
            && self.roles[joint].is_none()
            && !self.roles.contains(&Some(role))
        {
            self.roles[joint] = Some(role);
        }
    }
}

/// First joints of each class on the path from a root to a joint.
type Path<const N: usize> = [Option<usize>; N];

/// Reads every path once and gives the best-filled limb. `note` enters a joint of the side into its path's
/// classes; `limb` reads a limb from them.
fn find_limb<const N: usize>(
    tree: &Tree,
    meanings: &[Meaning],
    side: Side,
    note: impl Fn(&mut Path<N>, usize, Part),
    limb: impl Fn(&Path<N>) -> [Option<usize>; 4],
) -> [Option<usize>; 4] {
    let mut paths: Vec<Path<N>> = Vec::with_capacity(meanings.len());
    let mut best = [None; 4];
    for (joint, says) in meanings.iter().enumerate() {
        let mut path = tree.parents[joint].map_or([None; N], |parent| paths[parent]);
        if says.side == Some(side) {
            note(&mut path, joint, says.part);
            let filled = |limb: &[Option<usize>; 4]| limb.iter().flatten().count();
            let candidate = limb(&path);
            if filled(&candidate) > filled(&best) {
                best = candidate;
            }
        }
        paths.push(path);
    }
    best
}

/// Upper leg, lower leg, foot, toes.
fn find_leg(tree: &Tree, names: &[&str], meanings: &[Meaning], side: Side) -> [Option<usize>; 4] {
    const HIP: usize = 0;
    const UPPER: usize = 1;
    const LEG: usize = 2;
    const SECOND_LEG: usize = 3;
    const LOWER: usize = 4;
    const FOOT: usize = 5;
    const SECOND_FOOT: usize = 6;
    const TOES: usize = 7;
    const THIRD_LEG: usize = 8;
    let note = |path: &mut Path<9>, joint: usize, part: Part| {
        let slot = match part {
            Part::Hips => HIP,
            Part::UpperLeg => UPPER,
            Part::Leg if path[LEG].is_none() => LEG,
            Part::Leg if path[SECOND_LEG].is_none() => SECOND_LEG,
            Part::Leg => THIRD_LEG,
            Part::LowerLeg => LOWER,
            Part::Foot if path[FOOT].is_none() => FOOT,
            Part::Foot => SECOND_FOOT,
            Part::Toes => TOES,
            _ => return,
        };
        path[slot] = path[slot].or(Some(joint));
    };
    let limb = |path: &Path<9>| {
        let above = |a: Option<usize>, b: Option<usize>| matches!((a, b), (Some(a), Some(b)) if a < b);
        // With a thigh or a hip above it, or none below it, a plain `leg` is the lower one.
        let (upper, lower) = if let Some(upper) = path[UPPER].or(path[HIP]) {
            (Some(upper), path[LOWER].or(path[LEG]))
        } else {
            (path[LEG], path[LOWER].or(path[SECOND_LEG]))
        };
        if !above(upper, lower) {
            return [None; 4];
        }
        // Rigs that only count (`leg_joint_L_1` to `_3`) have the foot third.
        let counted = path[THIRD_LEG].filter(|_| path[UPPER].or(path[HIP]).or(path[LOWER]).is_none());
        let foot = path[FOOT].or(counted).filter(|&foot| above(lower, Some(foot)));
        // Where an ankle stands above a foot, the foot joint is where the toes begin.
        let toes = path[TOES].or(path[SECOND_FOOT]).filter(|_| foot.is_some());
        [upper, lower, foot, toes.filter(|&toes| above(foot, Some(toes)))]
    };
    let mut leg = find_limb(tree, meanings, side, note, limb);
    // Of several toes below one joint the middle one stands for all: `toe1-1` … `toe5-1`.
    if let Some(toes) = leg[3] {
        let mut siblings: Vec<usize> = (0..meanings.len())
            .filter(|&j| meanings[j].part == Part::Toes && tree.parents[j] == tree.parents[toes])
            .collect();
        siblings.sort_by_key(|&joint| names[joint]);
        leg[3] = siblings.get(siblings.len() / 2).copied().or(leg[3]);
    }
    leg
}

/// Clavicle, upper arm, lower arm, hand. A hand without any arm is given alone: VR trackers have only hands.
fn find_arm(tree: &Tree, meanings: &[Meaning], side: Side) -> [Option<usize>; 4] {
    const COLLAR: usize = 0;
    const SHOULDER: usize = 1;
    const UPPER: usize = 2;
    const ARM: usize = 3;
    const SECOND_ARM: usize = 4;
    const LOWER: usize = 5;
    const HAND: usize = 6;
    const THIRD_ARM: usize = 7;
    let note = |path: &mut Path<8>, joint: usize, part: Part| {
        let slot = match part {
            Part::Collar => COLLAR,
            Part::Shoulder => SHOULDER,
            Part::UpperArm => UPPER,
            Part::Arm if path[ARM].is_none() => ARM,
            Part::Arm if path[SECOND_ARM].is_none() => SECOND_ARM,
            Part::Arm => THIRD_ARM,
            Part::LowerArm => LOWER,
            Part::Hand => HAND,
            _ => return,
        };
        path[slot] = path[slot].or(Some(joint));
    };
    let limb = |path: &Path<8>| {
        let above = |a: Option<usize>, b: Option<usize>| matches!((a, b), (Some(a), Some(b)) if a < b);
        let (upper, lower) = match (path[UPPER], path[ARM]) {
            (Some(upper), arm) => (Some(upper), path[LOWER].or(arm)),
            (None, Some(arm)) => (Some(arm), path[LOWER].or(path[SECOND_ARM])),
            (None, None) => (path[SHOULDER], path[LOWER]),
        };
        if !above(upper, lower) {
            return [None; 4];
        }
        let clavicle = path[COLLAR].or(path[SHOULDER]).filter(|&joint| above(Some(joint), upper));
        let counted = path[THIRD_ARM].filter(|_| path[UPPER].or(path[LOWER]).is_none());
        let hand = path[HAND].or(counted).filter(|&hand| above(lower, Some(hand)));
        [clavicle, upper, lower, hand]
    };
    let arm = find_limb(tree, meanings, side, note, limb);
    let is_arm = |says: &Meaning| {
        says.side == Some(side)
            && matches!(
                says.part,
                Part::Collar | Part::Shoulder | Part::UpperArm | Part::Arm | Part::LowerArm
            )
    };
    if arm[1].is_none() && !meanings.iter().any(is_arm) {
        let hand = meanings.iter().position(|says| *says == Meaning { side: Some(side), part: Part::Hand });
        return [None, None, None, hand];
    }
    arm
}

/// Up to three joints of each finger, in order from the hand. A finger's own side does not matter: it hangs
/// on its hand.
fn find_fingers(tree: &Tree, meanings: &[Meaning], hand: usize, side: Side, found: &mut Found) {
    let mut joints: Vec<(Finger, usize)> = Vec::new();
    for (joint, says) in meanings.iter().enumerate().skip(hand + 1) {
        if let (true, Part::Finger(finger)) = (tree.is_below(joint, hand), says.part) {
            joints.push((finger, joint));
        }
    }
    let mut numbers: Vec<u32> = joints
        .iter()
        .filter_map(|(f, _)| if let Finger::Numbered(n) = f { Some(*n) } else { None })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    const FINGERS: [Finger; 5] = [Finger::Thumb, Finger::Index, Finger::Middle, Finger::Ring, Finger::Little];
    let thumb_named = joints.iter().any(|(f, _)| *f == Finger::Thumb);
    // Five numbers count the thumb, four next to a named thumb do not; fewer are ambiguous.
    let counted: &[Finger] = match (numbers.len(), thumb_named) {
        (5, false) => &FINGERS,
        (4, true) => &FINGERS[1..],
        _ => &[],
    };
    #[rustfmt::skip]
    const ROLES: [[Role; 3]; 5] = [
        [Role::LeftThumbMetacarpal, Role::LeftThumbProximal, Role::LeftThumbDistal],
        [Role::LeftIndexProximal, Role::LeftIndexIntermediate, Role::LeftIndexDistal],
        [Role::LeftMiddleProximal, Role::LeftMiddleIntermediate, Role::LeftMiddleDistal],
        [Role::LeftRingProximal, Role::LeftRingIntermediate, Role::LeftRingDistal],
        [Role::LeftLittleProximal, Role::LeftLittleIntermediate, Role::LeftLittleDistal],
    ];
    // One joint for all fingers is called the index, as CMU's is in other programs' files.
    let single = joints.iter().all(|(f, _)| matches!(f, Finger::All | Finger::Thumb));
    let mut chains: [Vec<usize>; 5] = Default::default();
    for (finger, joint) in joints {
        let finger = match finger {
            Finger::Numbered(n) => {
                let place = numbers.iter().position(|m| *m == n);
                match place.and_then(|place| counted.get(place)) {
                    Some(finger) => *finger,
                    None => continue,
                }
            }
            Finger::All if single => Finger::Index,
            named => named,
        };
        let Some(chain) = FINGERS.iter().position(|f| *f == finger).map(|i| &mut chains[i]) else { continue };
        if chain.len() < 3 && chain.last().is_none_or(|&last| tree.is_below(joint, last)) {
            chain.push(joint);
        }
    }
    for (chain, roles) in chains.iter().zip(ROLES) {
        for (joint, role) in chain.iter().zip(roles) {
            found.give(Some(*joint), role, side);
        }
    }
}

/// Hips, back, neck, head and what is on the head.
fn find_trunk(
    tree: &Tree,
    meanings: &[Meaning],
    legs: &[[Option<usize>; 4]; 2],
    arms: &[[Option<usize>; 4]; 2],
    found: &mut Found,
) {
    let midline = |joint: usize, part: Part| meanings[joint] == Meaning { side: None, part };
    let first = |part: Part| (0..meanings.len()).find(|&joint| midline(joint, part));
    let join = |a: Option<usize>, b: Option<usize>| match (a, b) {
        (Some(a), Some(b)) => tree.common(a, b),
        (a, b) => a.or(b),
    };
    let arm_tops = arms.map(|arm| arm[0].or(arm[1]));
    let shoulders = join(arm_tops[0], arm_tops[1]).filter(|_| arm_tops.iter().all(Option::is_some));
    let mut head = first(Part::Head);
    let thighs = legs.map(|leg| leg[0]);
    let hips = if thighs.iter().any(Option::is_some) {
        let upper = head.or(shoulders).or(first(Part::Neck)).or(first(Part::Spine));
        let fork = join(join(thighs[0], thighs[1]), upper);
        fork.and_then(|fork| named_hips(tree, meanings, fork, &thighs))
    } else {
        first(Part::Hips)
    };
    found.give(hips, Role::Hips, Side::Left);

    let mut neck = head.and_then(|head| nearest_root(tree, head, |joint| midline(joint, Part::Neck)));
    // Rigs that number the whole back (`spine.006` is the head): above the shoulders stand neck and head.
    if head.is_none()
        && let Some(fork) = shoulders
    {
        let above: Vec<usize> = (0..meanings.len())
            .filter(|&j| {
                j != fork && (midline(j, Part::Spine) || midline(j, Part::Neck)) && tree.is_below(j, fork)
            })
            .collect();
        head = above.last().copied();
        neck = above.first().copied().filter(|first| Some(*first) != head);
    }
    let Some(top) =
        neck.or(head).or(shoulders).or_else(|| meanings.iter().rposition(|m| m.part == Part::Spine))
    else {
        return;
    };
    found.give(head, Role::Head, Side::Left);
    found.give(neck, Role::Neck, Side::Left);
    if let Some(head) = head {
        find_face(tree, meanings, head, found);
    }
    let Some(hips) = hips else { return };
    let mut path = tree.between(hips, top);
    // The chain ends below neck and head, but includes the joint the arms hang on.
    if Some(top) != neck && Some(top) != head {
        path.push(top);
    }
    let named: Vec<usize> = path.iter().copied().filter(|&j| midline(j, Part::Spine)).collect();
    let unnamed = |j: &usize| matches!(meanings[*j].part, Part::Unknown) && meanings[*j].side.is_none();
    let back: Vec<usize> = if named.is_empty() { path.into_iter().filter(unnamed).collect() } else { named };
    for (joint, role) in back_roles(&back) {
        found.give(Some(joint), role, Side::Left);
    }
}

/// The joint that is the hips where legs and upper body part at `fork`: the fork itself or, where it is a
/// joint of the back (old Bipeds hang the legs on the spine) or unnamed, hips named above it.
fn named_hips(tree: &Tree, meanings: &[Meaning], fork: usize, thighs: &[Option<usize>; 2]) -> Option<usize> {
    let is_hips = |joint: usize| meanings[joint] == Meaning { side: None, part: Part::Hips };
    let mut at = Some(fork);
    while let Some(joint) = at {
        if is_hips(joint) {
            return Some(joint);
        }
        at = tree.parents[joint];
    }
    // A fork that is a thigh means that the upper body hangs on a leg: no human tree.
    (!thighs.contains(&Some(fork))).then_some(fork)
}

/// Of the joints from `below` up, the one nearest the root that passes.
fn nearest_root(tree: &Tree, below: usize, passes: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best = None;
    let mut at = Some(below);
    while let Some(joint) = at {
        if passes(joint) {
            best = Some(joint);
        }
        at = tree.parents[joint];
    }
    best
}

/// Eyes and jaw below the head.
fn find_face(tree: &Tree, meanings: &[Meaning], head: usize, found: &mut Found) {
    for (joint, says) in meanings.iter().enumerate().skip(head + 1).filter(|(j, _)| tree.is_below(*j, head)) {
        match (says.part, says.side) {
            (Part::Eye, Some(side)) => found.give(Some(joint), Role::LeftEye, side),
            (Part::Jaw, None) => found.give(Some(joint), Role::Jaw, Side::Left),
            _ => {}
        }
    }
}
