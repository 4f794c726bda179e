//! What a joint's name says: a side, a part of the body and numbers.
//!
//! A name is cut into words (`LeftUpLeg` → left, up, leg; `DEF-upper_arm.L.001` → def, upper, arm, l, 1;
//! `lhumerus` → l, humerus; `左手首` → 左, 手首) and the words are looked up in one vocabulary. Nothing here
//! knows a dialect or the tree; `names` decides what an ambiguous part (`shoulder`, `leg`, `hip`) is.

use super::Side;

/// The part of the body a name speaks of, as far as the name alone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Hips, pelvis; with a side the hip joint of that leg.
    Hips,
    /// Any joint of the back.
    Spine,
    Neck,
    Head,
    Eye,
    Jaw,
    /// Collar, clavicle.
    Collar,
    /// The clavicle or the upper arm, by what follows.
    Shoulder,
    UpperArm,
    /// The upper or the lower arm, by what stands above and below.
    Arm,
    LowerArm,
    Hand,
    UpperLeg,
    /// The upper or the lower leg, by what stands above and below.
    Leg,
    LowerLeg,
    Foot,
    Toes,
    Finger(Finger),
    /// Says a thing that is no joint of the body: twist, end, IK target, hair, face muscle.
    Helper,
    /// An animal's tail, which a person may wear too.
    Tail,
    /// Says nothing known.
    Unknown,
}

/// Which finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Little,
    /// Counted by the rig; whether 0, 1 or none is the thumb shows only in the whole hand.
    Numbered(u32),
    /// All but the thumb in one joint: CMU's `lfingers`.
    All,
}

/// What one name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) side: Option<Side>,
    pub(super) part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Side(Side),
    Upper,
    Lower,
    Part(Part),
    /// The plain word finger; which one, numbers say.
    Finger,
    /// The plain word fingers: all of them, where no number says which.
    Fingers,
    /// Of the palm: `metacarpal`, `carpal`.
    Palm,
    /// `hip`, `pelvis` differ: a pelvis with a side is only a helper.
    Pelvis,
    Body,
    In,
    /// Known and without meaning: `joint`, `base`, `bone`.
    Filler,
}

use Word::{Filler, Lower, Upper};

const fn part(part: Part) -> Word {
    Word::Part(part)
}

/// Every word that means something. Order does not matter; the longest match wins.
#[rustfmt::skip]
const VOCABULARY: &[(&str, Word)] = &[
    ("left", Word::Side(Side::Left)), ("l", Word::Side(Side::Left)), ("lft", Word::Side(Side::Left)),
    ("right", Word::Side(Side::Right)), ("r", Word::Side(Side::Right)), ("rgt", Word::Side(Side::Right)),
    ("左", Word::Side(Side::Left)), ("右", Word::Side(Side::Right)),
    ("upper", Upper), ("up", Upper), ("upr", Upper), ("lower", Lower), ("low", Lower), ("lo", Lower), ("lwr", Lower),
    ("fore", Lower), ("in", Word::In),
    ("hip", part(Part::Hips)), ("hips", part(Part::Hips)), ("pelvis", Word::Pelvis), ("腰", Word::Pelvis),
    ("下半身", Word::Pelvis), ("body", Word::Body),
    ("spine", part(Part::Spine)), ("chest", part(Part::Spine)), ("abdomen", part(Part::Spine)), ("back", part(Part::Spine)),
    ("torso", part(Part::Spine)), ("trunk", part(Part::Spine)), ("thorax", part(Part::Spine)), ("waist", part(Part::Spine)),
    ("lumbar", part(Part::Spine)), ("belly", part(Part::Spine)), ("navel", part(Part::Spine)), ("stomach", part(Part::Spine)),
    ("ribs", part(Part::Spine)), ("ribcage", part(Part::Spine)), ("上半身", part(Part::Spine)),
    ("neck", part(Part::Neck)), ("首", part(Part::Neck)), ("head", part(Part::Head)), ("skull", part(Part::Head)),
    ("頭", part(Part::Head)), ("eye", part(Part::Eye)), ("目", part(Part::Eye)), ("jaw", part(Part::Jaw)),
    ("collar", part(Part::Collar)), ("collarbone", part(Part::Collar)), ("clavicle", part(Part::Collar)), ("clav", part(Part::Collar)),
    ("shoulder", part(Part::Shoulder)), ("shldr", part(Part::Shoulder)), ("肩", part(Part::Shoulder)),
    ("humerus", part(Part::UpperArm)), ("bicep", part(Part::UpperArm)), ("腕", part(Part::UpperArm)), ("arm", part(Part::Arm)),
    ("forearm", part(Part::LowerArm)), ("elbow", part(Part::LowerArm)), ("radius", part(Part::LowerArm)),
    ("ひじ", part(Part::LowerArm)), ("肘", part(Part::LowerArm)),
    ("hand", part(Part::Hand)), ("wrist", part(Part::Hand)), ("手首", part(Part::Hand)),
    ("thigh", part(Part::UpperLeg)), ("femur", part(Part::UpperLeg)), ("足", part(Part::UpperLeg)), ("leg", part(Part::Leg)),
    ("shin", part(Part::LowerLeg)), ("calf", part(Part::LowerLeg)), ("knee", part(Part::LowerLeg)), ("tibia", part(Part::LowerLeg)),
    ("ひざ", part(Part::LowerLeg)), ("膝", part(Part::LowerLeg)),
    ("foot", part(Part::Foot)), ("ankle", part(Part::Foot)), ("足首", part(Part::Foot)),
    ("toe", part(Part::Toes)), ("toes", part(Part::Toes)), ("ball", part(Part::Toes)), ("つま先", part(Part::Toes)),
    ("thumb", part(Part::Finger(Finger::Thumb))), ("親指", part(Part::Finger(Finger::Thumb))),
    ("index", part(Part::Finger(Finger::Index))), ("pointer", part(Part::Finger(Finger::Index))),
    ("人指", part(Part::Finger(Finger::Index))), ("人差指", part(Part::Finger(Finger::Index))),
    ("middle", part(Part::Finger(Finger::Middle))), ("mid", part(Part::Finger(Finger::Middle))),
    ("中指", part(Part::Finger(Finger::Middle))),
    ("ring", part(Part::Finger(Finger::Ring))), ("薬指", part(Part::Finger(Finger::Ring))),
    ("little", part(Part::Finger(Finger::Little))), ("pinky", part(Part::Finger(Finger::Little))),
    ("pinkie", part(Part::Finger(Finger::Little))), ("小指", part(Part::Finger(Finger::Little))),
    ("finger", Word::Finger), ("fingers", Word::Fingers), ("metacarpal", Word::Palm), ("carpal", Word::Palm), ("meta", Word::Palm),
    ("tail", part(Part::Tail)), ("尻尾", part(Part::Tail)),
    ("joint", Filler), ("base", Filler), ("bone", Filler), ("jnt", Filler), ("def", Filler), ("bip", Filler), ("root", Filler),
    ("proximal", Filler), ("intermediate", Filler), ("distal", Filler), ("armature", Filler), ("hanging", Filler),
    ("twist", part(Part::Helper)), ("twst", part(Part::Helper)), ("roll", part(Part::Helper)), ("end", part(Part::Helper)),
    ("nub", part(Part::Helper)), ("leaf", part(Part::Helper)), ("ik", part(Part::Helper)), ("fk", part(Part::Helper)), ("pole", part(Part::Helper)),
    ("target", part(Part::Helper)), ("ctrl", part(Part::Helper)), ("control", part(Part::Helper)), ("dummy", part(Part::Helper)),
    ("helper", part(Part::Helper)), ("tip", part(Part::Helper)), ("top", part(Part::Helper)), ("effector", part(Part::Helper)),
    ("eff", part(Part::Helper)), ("site", part(Part::Helper)), ("mch", part(Part::Helper)), ("socket", part(Part::Helper)),
    ("offset", part(Part::Helper)), ("adj", part(Part::Helper)), ("sec", part(Part::Helper)), ("prop", part(Part::Helper)),
    ("hair", part(Part::Helper)), ("skirt", part(Part::Helper)), ("breast", part(Part::Helper)), ("bust", part(Part::Helper)),
    ("pectoral", part(Part::Helper)), ("buttock", part(Part::Helper)), ("heel", part(Part::Helper)), ("ear", part(Part::Helper)),
    ("lid", part(Part::Helper)), ("eyelid", part(Part::Helper)), ("brow", part(Part::Helper)), ("eyebrow", part(Part::Helper)),
    ("lip", part(Part::Helper)), ("cheek", part(Part::Helper)), ("nose", part(Part::Helper)), ("tongue", part(Part::Helper)),
    ("teeth", part(Part::Helper)), ("weapon", part(Part::Helper)), ("sleeve", part(Part::Helper)), ("hat", part(Part::Helper)),
    ("wing", part(Part::Helper)), ("front", part(Part::Helper)), ("hind", part(Part::Helper)), ("rear", part(Part::Helper)),
    ("捩", part(Part::Helper)), ("先", part(Part::Helper)), ("キャンセル", part(Part::Helper)),
];

/// Longest run of letters that is cut into words; longer ones are no names people write.
const LONGEST_RUN: usize = 32;

/// What `name`, freed of namespaces and shared prefixes, says.
pub(super) fn meaning(name: &str) -> Meaning {
    // Full-width letters and digits (`左人指１`, `左足ＩＫ`) are the plain ones 0xFEE0 further on.
    let narrow = |c: char| match u32::from(c) {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(c),
        _ => c,
    };
    let narrowed: String;
    let name = if name.is_ascii() {
        name
    } else {
        narrowed = name.chars().map(narrow).collect();
        &narrowed
    };
    let mut words = Vec::new();
    let mut numbers: Vec<&str> = Vec::new();
    for run in runs(name) {
        if run.starts_with(|c: char| c.is_ascii_digit()) {
            numbers.push(run);
        } else {
            words.extend(cut(&run.to_lowercase()));
        }
    }
    let side = words.iter().find_map(|word| if let Word::Side(side) = word { Some(*side) } else { None });
    // Vertebrae: L5, L3, T12, T8.
    let letters: Vec<&str> = runs(name).collect();
    if let [letter, number] = letters[..]
        && matches!(letter, "L" | "T" | "C")
        && number.parse::<u32>().is_ok_and(|n| (1..=12).contains(&n))
    {
        return Meaning { side: None, part: if letter == "C" { Part::Neck } else { Part::Spine } };
    }
    Meaning { side, part: part_of(&words, side, &numbers) }
}

/// The part the words name together; the more special word wins (`LeftHandIndex1` is a finger).
fn part_of(words: &[Word], side: Option<Side>, numbers: &[&str]) -> Part {
    let has = |part: Part| words.contains(&Word::Part(part));
    if has(Part::Helper) {
        return Part::Helper;
    }
    let (upper, lower) = (words.contains(&Upper), words.contains(&Lower));
    for trunk in [Part::Tail, Part::Spine, Part::Neck] {
        if has(trunk) {
            // `BackLeg_L`, `Chest_R`: an animal's leg or a muscle, never the midline.
            return if side.is_some() { Part::Helper } else { trunk };
        }
    }
    // The fingers of a foot are its toes: MotionBuilder's `LeftFootThumb1`, pose estimators' index of the foot.
    let finger_of_foot = || words.iter().any(|word| matches!(word, Word::Part(Part::Finger(_))));
    if has(Part::Toes) || (has(Part::Foot) && finger_of_foot()) {
        return Part::Toes;
    }
    let palm = words.contains(&Word::Palm) || (words.contains(&Word::In) && has(Part::Hand));
    let finger =
        words.iter().find_map(|word| if let Word::Part(Part::Finger(f)) = word { Some(*f) } else { None });
    match finger {
        // The metacarpal of the thumb moves and is a joint of its own; the others lie in the palm.
        Some(f) if !palm || f == Finger::Thumb => return Part::Finger(f),
        Some(_) => return Part::Helper,
        None if palm => return Part::Helper,
        None => {}
    }
    let all = words.contains(&Word::Fingers);
    if all || words.contains(&Word::Finger) {
        // `Finger0`, `Finger01`, `finger1-1`: the first digit counts the fingers.
        let count = numbers.first().and_then(|n| n.chars().next()).and_then(|c| c.to_digit(10));
        let uncounted = if all { Part::Finger(Finger::All) } else { Part::Helper };
        return count.map_or(uncounted, |n| Part::Finger(Finger::Numbered(n)));
    }
    for (generic, high, low) in
        [(Part::Arm, Part::UpperArm, Part::LowerArm), (Part::Leg, Part::UpperLeg, Part::LowerLeg)]
    {
        if has(generic) {
            return if lower {
                low
            } else if upper {
                high
            } else {
                generic
            };
        }
    }
    for whole in [
        Part::Eye,
        Part::Jaw,
        Part::Head,
        Part::LowerArm,
        Part::UpperArm,
        Part::Hand,
        Part::Foot,
        Part::LowerLeg,
        Part::UpperLeg,
        Part::Collar,
        Part::Shoulder,
        Part::Hips,
    ] {
        if has(whole) {
            return whole;
        }
    }
    if words.contains(&Word::Pelvis) {
        return if side.is_some() { Part::Helper } else { Part::Hips };
    }
    if words.contains(&Word::Body) {
        return match (upper, lower) {
            (true, false) => Part::Spine,
            (false, true) => Part::Hips,
            _ => Part::Unknown,
        };
    }
    Part::Unknown
}

/// Runs of letters or of digits; a capital after a small letter, and the last of several capitals before
/// a small letter, begin a new run.
pub(super) fn runs(name: &str) -> impl Iterator<Item = &str> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let mut bounds = Vec::new();
    let mut start = None;
    for (i, &(at, c)) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| chars[j].1);
        let after = chars.get(i + 1).map(|next| next.1);
        let begins = match before {
            Some(b) if b.is_alphanumeric() => {
                b.is_ascii_digit() != c.is_ascii_digit()
                    || (c.is_uppercase() && (b.is_lowercase() || after.is_some_and(char::is_lowercase)))
            }
            _ => true,
        };
        if (!c.is_alphanumeric() || begins)
            && let Some(from) = start.take()
        {
            bounds.push((from, at));
        }
        if c.is_alphanumeric() && start.is_none() {
            start = Some(at);
        }
    }
    if let Some(from) = start {
        bounds.push((from, name.len()));
    }
    bounds.into_iter().map(|(from, to)| &name[from..to])
}

/// A run of small letters as the fewest words of the vocabulary that fill it; nothing where they do not.
fn cut(run: &str) -> Vec<Word> {
    if let Some(word) = look_up(run) {
        return vec![word];
    }
    if run.len() > LONGEST_RUN {
        return Vec::new();
    }
    // fewest[i]: how many words fill run[i..], and the first of them with its length.
    let mut fewest: Vec<Option<(usize, Word, usize)>> = vec![None; run.len() + 1];
    for from in (0..run.len()).rev() {
        if !run.is_char_boundary(from) {
            continue;
        }
        for &(text, word) in VOCABULARY {
            // A single letter is a side only at the front: `lhumerus`, never inside a word.
            if !run[from..].starts_with(text) || (text.len() == 1 && from != 0) {
                continue;
            }
            let rest = from + text.len();
            let count = match (rest == run.len(), fewest[rest]) {
                (true, _) => 1,
                (false, Some((count, _, _))) => count + 1,
                (false, None) => continue,
            };
            if fewest[from].is_none_or(|(best, _, _)| count < best) {
                fewest[from] = Some((count, word, text.len()));
            }
        }
    }
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(Some((_, word, length))) = fewest.get(at).copied() {
        words.push(word);
        at += length;
    }
    words
}

fn look_up(text: &str) -> Option<Word> {
    VOCABULARY.iter().find(|(known, _)| *known == text).map(|(_, word)| *word)
}

/// Names without namespaces (`mixamorig:Hips`, `rig|Hips`) and without prefixes that nearly all have.
pub(super) fn bare_names<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut bare: Vec<&str> =
        names.iter().map(|name| name.rsplit([':', '|']).next().unwrap_or(name).trim()).collect();
    // Two rounds free `J_Bip_L_Hand` of `J_` and `Bip_`; more rounds would eat into real words.
    for _ in 0..2 {
        let first = |name: &str| name.find([' ', '_', '-', '.']).filter(|&at| at > 0).map(|at| at + 1);
        let mut prefixes: Vec<&str> = bare.iter().filter_map(|name| Some(&name[..first(name)?])).collect();
        prefixes.sort_unstable();
        let commonest = prefixes.chunk_by(|a, b| a == b).max_by_key(|chunk| chunk.len());
        let Some(prefix) = commonest.filter(|chunk| 4 * chunk.len() >= 3 * bare.len()).map(|chunk| chunk[0])
        else {
            break;
        };
        for name in &mut bare {
            *name = name.strip_prefix(prefix).unwrap_or(name);
        }
    }
    bare
}
