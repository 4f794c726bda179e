//! Roles from names, dialect by dialect.
//!
//! Each dialect is a tree by indentation, `name = role`; a joint without `= role` must get none. A branch that
//! begins with a name containing `{}` is read twice, with the dialect's words for left and right in its place.

use glam::Vec3;
use ugoki_base::skeleton::{Joint, Role, RoleSource, Skeleton, assign_roles};

/// Joints of a written tree and the role each must get. `sides` are the dialect's words for left and right,
/// which replace `{}`; a line with `{}` that is not below another starts a branch that is read for both.
fn tree(text: &str, sides: [&str; 2]) -> (Vec<Joint>, Vec<Option<Role>>) {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| (line.len() - line.trim_start().len(), line.trim()))
        .collect();
    let (mut joints, mut roles, mut open) = (Vec::new(), Vec::new(), Vec::<(usize, usize)>::new());
    let mut add = |depth: usize, line: &str, side: usize| {
        let (name, role) = line.split_once(" = ").map_or((line, None), |(name, role)| (name, Some(role)));
        while open.last().is_some_and(|(above, _)| *above >= depth) {
            open.pop();
        }
        let parent = open.last().map(|(_, joint)| *joint);
        open.push((depth, joints.len()));
        joints.push(Joint::new(name.replace("{}", sides[side]), parent, Vec3::ZERO));
        roles.push(role.map(|role| {
            let role = Role::from_name(role).unwrap_or_else(|| panic!("no role {role}"));
            if side == 1 { role.mirrored() } else { role }
        }));
    };
    let mut at = 0;
    while at < lines.len() {
        let (depth, line) = lines[at];
        let branch = lines[at + 1..].iter().take_while(|(below, _)| *below > depth).count() + 1;
        if line.contains("{}") {
            for side in [0, 1] {
                for (depth, line) in &lines[at..at + branch] {
                    add(*depth, line, side);
                }
            }
            at += branch;
        } else {
            add(depth, line, 0);
            at += 1;
        }
    }
    (joints, roles)
}

fn check(dialect: &str, sides: [&str; 2], text: &str) {
    let (mut joints, expected) = tree(text, sides);
    assert_eq!(assign_roles(&mut joints), RoleSource::Names, "{dialect}");
    for (joint, role) in joints.iter().zip(expected) {
        assert_eq!(joint.role, role, "{dialect}: {}", joint.name);
    }
    Skeleton::build(joints).unwrap();
}

#[test]
fn motionbuilder_with_cmu_helpers() {
    check(
        "CMU",
        ["Left", "Right"],
        "
Hips = hips
  {}HipJoint
    {}UpLeg = leftUpperLeg
      {}Leg = leftLowerLeg
        {}Foot = leftFoot
          {}ToeBase = leftToes
  LowerBack = spine
    Spine = chest
      Spine1 = upperChest
        Neck = neck
          Neck1
            Head = head
        {}Shoulder = leftShoulder
          {}Arm = leftUpperArm
            {}ForeArm = leftLowerArm
              {}Hand = leftHand
                {}FingerBase
                  {}HandIndex1 = leftIndexProximal
                {}Thumb = leftThumbMetacarpal
",
    );
}

#[test]
fn mixamo_with_every_writing_of_its_namespace() {
    for space in ["mixamorig:", "mixamorig", "mixamorig1:", "mixamorig_", "Armature|mixamorig:"] {
        check(
            space,
            ["Left", "Right"],
            &"
@Hips = hips
  @Spine = spine
    @Spine1 = chest
      @Spine2 = upperChest
        @Neck = neck
          @Head = head
            @HeadTop_End
        @{}Shoulder = leftShoulder
          @{}Arm = leftUpperArm
            @{}ForeArm = leftLowerArm
              @{}Hand = leftHand
                @{}HandThumb1 = leftThumbMetacarpal
                  @{}HandThumb2 = leftThumbProximal
                    @{}HandThumb3 = leftThumbDistal
                      @{}HandThumb4
                @{}HandPinky1 = leftLittleProximal
                  @{}HandPinky2 = leftLittleIntermediate
                    @{}HandPinky3 = leftLittleDistal
                      @{}HandPinky4
  @{}UpLeg = leftUpperLeg
    @{}Leg = leftLowerLeg
      @{}Foot = leftFoot
        @{}ToeBase = leftToes
          @{}Toe_End
"
            .replace('@', space),
        );
    }
}

#[test]
fn biped_with_legs_on_the_pelvis_or_on_the_spine() {
    for legs in ["Pelvis", "Spine"] {
        let deeper = if legs == "Spine" { "  " } else { "" };
        check(
            "Biped",
            ["L", "R"],
            &format!(
                "
Bip01
  Bip01 Pelvis = hips
    Bip01 Spine = spine
      Bip01 Spine1 = chest
        Bip01 Neck = neck
          Bip01 Head = head
            Bip01 HeadNub
          Bip01 {{}} Clavicle = leftShoulder
            Bip01 {{}} UpperArm = leftUpperArm
              Bip01 {{}} Forearm = leftLowerArm
                Bip01 {{}} ForeTwist
                Bip01 {{}} Hand = leftHand
                  Bip01 {{}} Finger0 = leftThumbMetacarpal
                    Bip01 {{}} Finger01 = leftThumbProximal
                      Bip01 {{}} Finger0Nub
                  Bip01 {{}} Finger1 = leftIndexProximal
                    Bip01 {{}} Finger11 = leftIndexIntermediate
                      Bip01 {{}} Finger12 = leftIndexDistal
                  Bip01 {{}} Finger2 = leftMiddleProximal
                  Bip01 {{}} Finger3 = leftRingProximal
                  Bip01 {{}} Finger4 = leftLittleProximal
{deeper}    Bip01 {{}} Thigh = leftUpperLeg
{deeper}      Bip01 {{}} Calf = leftLowerLeg
{deeper}        Bip01 {{}} Foot = leftFoot
{deeper}          Bip01 {{}} Toe0 = leftToes
{deeper}            Bip01 {{}} Toe0Nub
"
            ),
        );
    }
}

#[test]
fn vroid_vrm_and_unity() {
    check(
        "VRoid",
        ["L", "R"],
        "
Root
  J_Bip_C_Hips = hips
    J_Bip_C_Spine = spine
      J_Bip_C_Chest = chest
        J_Bip_C_UpperChest = upperChest
          J_Sec_{}_Bust1
          J_Bip_C_Neck = neck
            J_Bip_C_Head = head
              J_Adj_{}_FaceEye
              J_Sec_Hair1_01
          J_Bip_{}_Shoulder = leftShoulder
            J_Bip_{}_UpperArm = leftUpperArm
              J_Bip_{}_LowerArm = leftLowerArm
                J_Bip_{}_Hand = leftHand
                  J_Bip_{}_Index1 = leftIndexProximal
                    J_Bip_{}_Index2 = leftIndexIntermediate
                      J_Bip_{}_Index3 = leftIndexDistal
                  J_Bip_{}_Little1 = leftLittleProximal
    J_Bip_{}_UpperLeg = leftUpperLeg
      J_Bip_{}_LowerLeg = leftLowerLeg
        J_Bip_{}_Foot = leftFoot
          J_Bip_{}_ToeBase = leftToes
",
    );
    for (sides, space) in [(["left", "right"], ""), (["Left", "Right"], ""), (["Left", "Right"], " ")] {
        check(
            "VRM and Unity",
            sides,
            &"
hips = hips
  spine = spine
    chest = chest
      upper@Chest = upperChest
        neck = neck
          head = head
            {}@Eye = leftEye
            jaw = jaw
        {}@Shoulder = leftShoulder
          {}@Upper@Arm = leftUpperArm
            {}@Lower@Arm = leftLowerArm
              {}@Hand = leftHand
                {}@Thumb@Metacarpal = leftThumbMetacarpal
                  {}@Thumb@Proximal = leftThumbProximal
                    {}@Thumb@Distal = leftThumbDistal
                {}@Ring@Proximal = leftRingProximal
                  {}@Ring@Intermediate = leftRingIntermediate
                    {}@Ring@Distal = leftRingDistal
  {}@Upper@Leg = leftUpperLeg
    {}@Lower@Leg = leftLowerLeg
      {}@Foot = leftFoot
        {}@Toes = leftToes
"
            .replace('@', space),
        );
    }
}

#[test]
fn rigify_numbers_the_whole_back() {
    for prefix in ["", "DEF-"] {
        check(
            "Rigify",
            ["L", "R"],
            &"
@spine = hips
  @pelvis.{}
  @spine.001 = spine
    @spine.002 = chest
      @spine.003 = upperChest
        @breast.{}
        @spine.004 = neck
          @spine.005
            @spine.006 = head
        @shoulder.{} = leftShoulder
          @upper_arm.{} = leftUpperArm
            @upper_arm.{}.001
              @forearm.{} = leftLowerArm
                @forearm.{}.001
                  @hand.{} = leftHand
                    @palm.01.{}
                      @f_index.01.{} = leftIndexProximal
                        @f_index.02.{} = leftIndexIntermediate
                    @thumb.01.{} = leftThumbMetacarpal
  @thigh.{} = leftUpperLeg
    @thigh.{}.001
      @shin.{} = leftLowerLeg
        @shin.{}.001
          @foot.{} = leftFoot
            @toe.{} = leftToes
            @heel.02.{}
"
            .replace('@', prefix),
        );
    }
}

#[test]
fn capture_suits_and_data_sets() {
    check(
        "Perception Neuron",
        ["Left", "Right"],
        "
Robot_Hips = hips
  Robot_{}UpLeg = leftUpperLeg
    Robot_{}Leg = leftLowerLeg
      Robot_{}Foot = leftFoot
  Robot_Spine = spine
    Robot_Spine1
      Robot_Spine2 = chest
        Robot_Spine3 = upperChest
          Robot_Neck = neck
            Robot_Head = head
          Robot_{}Shoulder = leftShoulder
            Robot_{}Arm = leftUpperArm
              Robot_{}ForeArm = leftLowerArm
                Robot_{}Hand = leftHand
                  Robot_{}HandThumb1 = leftThumbMetacarpal
                  Robot_{}InHandIndex
                    Robot_{}HandIndex1 = leftIndexProximal
",
    );
    check(
        "LaFAN1",
        ["Left", "Right"],
        "
Hips = hips
  {}UpLeg = leftUpperLeg
    {}Leg = leftLowerLeg
      {}Foot = leftFoot
        {}Toe = leftToes
  Spine = spine
    Spine1 = chest
      Spine2 = upperChest
        Neck = neck
          Head = head
        {}Shoulder = leftShoulder
          {}Arm = leftUpperArm
            {}ForeArm = leftLowerArm
              {}Hand = leftHand
",
    );
    check(
        "Bandai-Namco",
        ["L", "R"],
        "
joint_Root
  Hips = hips
    Spine = spine
      Chest = chest
        Neck = neck
          Head = head
        Shoulder_{} = leftShoulder
          UpperArm_{} = leftUpperArm
            LowerArm_{} = leftLowerArm
              Hand_{} = leftHand
    UpperLeg_{} = leftUpperLeg
      LowerLeg_{} = leftLowerLeg
        Foot_{} = leftFoot
          Toes_{} = leftToes
",
    );
    check(
        "DeepMimic",
        ["left", "right"],
        "
root = hips
  chest = spine
    neck = head
    {}_shoulder = leftUpperArm
      {}_elbow = leftLowerArm
        {}_wrist = leftHand
  {}_hip = leftUpperLeg
    {}_knee = leftLowerLeg
      {}_ankle = leftFoot
",
    );
    check(
        "SMPL",
        ["L", "R"],
        "
Pelvis = hips
  {}_Hip = leftUpperLeg
    {}_Knee = leftLowerLeg
      {}_Ankle = leftFoot
        {}_Foot = leftToes
  Spine1 = spine
    Spine2 = chest
      Spine3 = upperChest
        Neck = neck
          Head = head
        {}_Collar = leftShoulder
          {}_Shoulder = leftUpperArm
            {}_Elbow = leftLowerArm
              {}_Wrist = leftHand
                {}_Hand
",
    );
    check(
        "Xsens",
        ["Left", "Right"],
        "
Pelvis = hips
  L5 = spine
    L3
      T12 = chest
        T8 = upperChest
          Neck = neck
            Head = head
          {}T4Shoulder = leftShoulder
            {}UpperArm = leftUpperArm
              {}Forearm = leftLowerArm
                {}Hand = leftHand
  {}UpperLeg = leftUpperLeg
    {}LowerLeg = leftLowerLeg
      {}Foot = leftFoot
        {}Toe = leftToes
",
    );
    check(
        "Azure Kinect",
        ["LEFT", "RIGHT"],
        "
PELVIS = hips
  SPINE_NAVEL = spine
    SPINE_CHEST = chest
      NECK = neck
        HEAD = head
          EYE_{} = leftEye
          NOSE
      CLAVICLE_{} = leftShoulder
        SHOULDER_{} = leftUpperArm
          ELBOW_{} = leftLowerArm
            WRIST_{} = leftHand
              HAND_{}
                HANDTIP_{}
              THUMB_{} = leftThumbMetacarpal
  HIP_{} = leftUpperLeg
    KNEE_{} = leftLowerLeg
      ANKLE_{} = leftFoot
        FOOT_{} = leftToes
",
    );
    check(
        "ASF",
        ["l", "r"],
        "
root = hips
  {}hipjoint
    {}femur = leftUpperLeg
      {}tibia = leftLowerLeg
        {}foot = leftFoot
          {}toes = leftToes
  lowerback = spine
    upperback = chest
      thorax = upperChest
        lowerneck = neck
          upperneck
            head = head
        {}clavicle = leftShoulder
          {}humerus = leftUpperArm
            {}radius = leftLowerArm
              {}wrist = leftHand
                {}hand
                  {}fingers = leftIndexProximal
                {}thumb = leftThumbMetacarpal
",
    );
}

#[test]
fn game_and_figure_rigs() {
    check(
        "Unreal",
        ["l", "r"],
        "
root
  ik_hand_root
    ik_hand_{}
  pelvis = hips
    spine_01 = spine
      spine_02 = chest
        spine_03 = upperChest
          neck_01 = neck
            head = head
          clavicle_{} = leftShoulder
            upperarm_{} = leftUpperArm
              upperarm_twist_01_{}
              lowerarm_{} = leftLowerArm
                lowerarm_twist_01_{}
                hand_{} = leftHand
                  index_metacarpal_{}
                    index_01_{} = leftIndexProximal
                  thumb_01_{} = leftThumbMetacarpal
    thigh_{} = leftUpperLeg
      thigh_twist_01_{}
      calf_{} = leftLowerLeg
        foot_{} = leftFoot
          ball_{} = leftToes
",
    );
    check(
        "Daz",
        ["l", "r"],
        "
hip = hips
  abdomen = spine
    chest = chest
      neck = neck
        head = head
      {}Collar = leftShoulder
        {}Shldr = leftUpperArm
          {}ForeArm = leftLowerArm
            {}Hand = leftHand
              {}Mid1 = leftMiddleProximal
                {}Mid2 = leftMiddleIntermediate
  {}Buttock
    {}Thigh = leftUpperLeg
      {}Shin = leftLowerLeg
        {}Foot = leftFoot
",
    );
    check(
        "counted",
        ["L", "R"],
        "
torso_joint_1 = hips
  torso_joint_2 = spine
    torso_joint_3 = chest
      neck_joint_1 = neck
        neck_joint_2 = head
      arm_joint_{}_1 = leftUpperArm
        arm_joint_{}_2 = leftLowerArm
          arm_joint_{}_3 = leftHand
  leg_joint_{}_1 = leftUpperLeg
    leg_joint_{}_2 = leftLowerLeg
      leg_joint_{}_3 = leftFoot
        leg_joint_{}_5
",
    );
    check(
        "MikuMikuDance",
        ["左", "右"],
        "
センター = hips
  下半身
    {}足 = leftUpperLeg
      {}ひざ = leftLowerLeg
        {}足首 = leftFoot
          {}つま先 = leftToes
  上半身 = spine
    上半身2 = chest
      首 = neck
        頭 = head
          {}目 = leftEye
      {}肩 = leftShoulder
        {}腕 = leftUpperArm
          {}腕捩
            {}ひじ = leftLowerArm
              {}手首 = leftHand
                {}人指１ = leftIndexProximal
",
    );
}

#[test]
fn trackers_without_a_body_keep_head_and_hands() {
    check(
        "VR",
        ["l", "r"],
        "
__0
  head = head
  hand_{} = leftHand
",
    );
}

#[test]
fn names_that_are_no_body_give_no_roles() {
    for names in [
        &["base", "child1", "child2"][..],
        &["LeftLeg", "RightLeg"],
        &["robot_arm_base", "arm_link_1", "gripper"],
        &["FrontLeg.L", "FrontLeg.R", "BackLeg.L", "BackLeg.R", "Wheel.L"],
        &["", "", ""],
        &["左", "L", "5"],
    ] {
        let mut joints: Vec<Joint> =
            names.iter().enumerate().map(|(i, name)| Joint::new(*name, i.checked_sub(1), Vec3::Y)).collect();
        joints[0].role = Some(Role::Jaw);
        assert_eq!(assign_roles(&mut joints), RoleSource::None, "{names:?}");
        assert!(joints.iter().all(|joint| joint.role.is_none()), "roles given before are taken away");
    }
}

#[test]
fn hostile_trees_are_read_in_reasonable_time() {
    // 20,000 levels deep, every name a limb's; broken parents; enormous names.
    for name in ["LeftFoot", "Spine", "l5.l", "LeftHandThumb1", "RightArm"] {
        let mut joints: Vec<Joint> =
            (0..20_000usize).map(|i| Joint::new(name, i.checked_sub(1), Vec3::Y)).collect();
        assign_roles(&mut joints);
        Skeleton::build(joints).unwrap();
    }
    // A comb: like pairs on every joint of a long chain, and one joint with 20,000 children.
    let comb = |i: usize| {
        (i > 0).then(|| {
            if i % 3 == 1 {
                i.saturating_sub(3) / 3 * 3
            } else {
                i / 3 * 3 - usize::from(i.is_multiple_of(3))
            }
        })
    };
    for parent in [&comb as &dyn Fn(usize) -> Option<usize>, &|i| (i > 0).then_some(0)] {
        let mut joints: Vec<Joint> = (0..20_000usize).map(|i| Joint::new("", parent(i), Vec3::Y)).collect();
        assign_roles(&mut joints);
        Skeleton::build(joints).unwrap();
    }
    let mut joints =
        vec![Joint::new("left".repeat(100_000), Some(7), Vec3::NAN), Joint::new("Head", Some(1), Vec3::X)];
    assign_roles(&mut joints);
    assert_eq!(assign_roles(&mut []), RoleSource::None);
}
