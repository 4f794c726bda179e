//! The skeleton file: sections that start with a colon, bones between `begin` and `end`.

use std::f64::consts::PI;

use glam::DVec3;
use ugoki_base::math::Axis;

use super::bone::{Bone, Dof};
use super::lines::{Line, Number, lines, name, number};
use crate::error::excerpt;
use crate::{Findings, ReadError, Severity};

/// Bones a file may have; detailed hands and faces take a few hundred.
const MAX_BONES: usize = 100_000;

/// Difference of a direction's length from 1 that is rounding: files print six digits.
const UNIT_LENGTH: f64 = 1e-3;

/// What the file says, before bones are put in order.
#[derive(Debug)]
pub(super) struct Asf {
    /// `length` of the units: inches divided by it are the file's unit, as CMU means it.
    pub length: Option<f64>,
    /// Radians per unit of angle.
    pub radians: f64,
    pub root: Bone,
    /// `position` of the root, file units.
    pub position: DVec3,
    pub bones: Vec<Bone>,
    /// Parent's name, children's names and the line, in file order.
    pub families: Vec<(Vec<String>, u32)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Units,
    Root,
    Bones,
    Hierarchy,
    /// Free text or data that is not used here.
    Skipped,
}

/// Reads the text of a skeleton file.
pub(super) fn parse(text: &[u8], findings: &mut Findings) -> Result<Asf, ReadError> {
    let mut root = Bone::new("root".to_owned(), 0);
    let axes = [Axis::X, Axis::Y, Axis::Z];
    root.dofs = axes.map(Dof::Move).into_iter().chain(axes.map(Dof::Rotate)).collect();
    let asf = Asf {
        length: None,
        radians: PI / 180.0,
        root,
        position: DVec3::ZERO,
        bones: Vec::new(),
        families: Vec::new(),
    };
    let mut reader = Reader { asf, findings, section: Section::None, open: None };
    for line in lines(text) {
        reader.line(line)?;
    }
    if let Some(bone) = reader.open.take() {
        let message = format!("the block of bone {:?} has no end", bone.name);
        reader.findings.note(Severity::Warning, Some(bone.line), "end-missing", message, "it ends here");
        reader.keep(bone);
    }
    let asf = reader.asf;
    if asf.bones.is_empty() && asf.families.is_empty() && asf.root.line == 0 {
        return Err(ReadError::Malformed {
            line: None,
            message: "no :root and no :bonedata, expected the sections of a skeleton".to_owned(),
            hint: "the file may be cut off or no ASF; open it in a text editor",
        });
    }
    Ok(asf)
}

struct Reader<'f> {
    asf: Asf,
    findings: &'f mut Findings,
    section: Section,
    /// The bone whose block is open.
    open: Option<Bone>,
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>) -> Result<(), ReadError> {
        let Some(word) = line.words().next() else { return Ok(()) };
        if word[0] == b':' {
            self.begin_section(line, &word[1..]);
            return Ok(());
        }
        match self.section {
            Section::None => self.stray(line, word),
            Section::Skipped => {}
            Section::Units => self.unit(line, word),
            Section::Root => self.root(line, word),
            Section::Bones => self.bone(line, word)?,
            Section::Hierarchy => self.family(line, word)?,
        }
        Ok(())
    }

    fn begin_section(&mut self, line: Line<'_>, word: &[u8]) {
        if let Some(bone) = self.open.take() {
            let message = format!("the block of bone {:?} has no end", bone.name);
            let place = Some(line.number);
            self.findings.note(Severity::Warning, place, "end-missing", message, "it ends here");
            self.keep(bone);
        }
        let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
        self.section = if is(&["units"]) {
            Section::Units
        } else if is(&["root"]) {
            self.asf.root.line = line.number;
            Section::Root
        } else if is(&["bonedata"]) {
            Section::Bones
        } else if is(&["hierarchy"]) {
            Section::Hierarchy
        } else {
            if !is(&["version", "name", "documentation", "skin"]) {
                let message = format!("section {}", excerpt(word));
                let place = Some(line.number);
                self.findings.note(Severity::Info, place, "section-unknown", message, "left out");
            }
            Section::Skipped
        };
    }

    fn unit(&mut self, line: Line<'_>, word: &[u8]) {
        let value = line.words().nth(1).unwrap_or_default();
        if word.eq_ignore_ascii_case(b"length") {
            match number(value) {
                Number::Is(length) if length > 0.0 => self.asf.length = Some(length),
                _ => self.bad_number(line, value, "the length of the units"),
            }
        } else if word.eq_ignore_ascii_case(b"angle") {
            if value.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"rad")) {
                self.asf.radians = 1.0;
            } else if !value.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"deg")) {
                let message = format!("the unit of angles is {}, expected deg or rad", excerpt(value));
                let place = Some(line.number);
                self.findings.note(Severity::Warning, place, "angle-unit", message, "degrees");
            }
        }
    }

    fn root(&mut self, line: Line<'_>, word: &[u8]) {
        if word.eq_ignore_ascii_case(b"order") {
            self.asf.root.dofs = self.dofs(line);
        } else if word.eq_ignore_ascii_case(b"axis") {
            let order = line.words().nth(1).unwrap_or_default();
            self.asf.root.order = self.order(line, order);
        } else if word.eq_ignore_ascii_case(b"position") {
            self.asf.position = self.vector(line, "the root's position");
        } else if word.eq_ignore_ascii_case(b"orientation") {
            self.asf.root.axis = self.vector(line, "the root's orientation");
        } else {
            self.stray(line, word);
        }
    }

    fn bone(&mut self, line: Line<'_>, word: &[u8]) -> Result<(), ReadError> {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("begin") {
            if self.asf.bones.len() == MAX_BONES {
                return Err(ReadError::TooManyJoints { line: line.number, max: MAX_BONES });
            }
            if let Some(bone) = self.open.replace(Bone::new(String::new(), line.number)) {
                let message = format!("the block of bone {:?} has no end", bone.name);
                let place = Some(line.number);
                self.findings.note(Severity::Warning, place, "end-missing", message, "it ends here");
                self.keep(bone);
            }
            return Ok(());
        }
        let Some(mut bone) = self.open.take() else {
            self.stray(line, word);
            return Ok(());
        };
        if is("end") {
            self.keep(bone);
            return Ok(());
        }
        if is("name") {
            bone.name = name(line.words().nth(1).unwrap_or_default());
            bone.line = line.number;
        } else if is("direction") {
            bone.direction = self.direction(line, &bone);
        } else if is("length") {
            let value = line.words().nth(1).unwrap_or_default();
            match number(value) {
                Number::Is(length) => bone.length = length,
                _ => self.bad_number(line, value, "a bone's length"),
            }
        } else if is("axis") {
            bone.axis = self.vector(line, "a bone's axis");
            bone.order = self.order(line, line.words().nth(4).unwrap_or_default());
        } else if is("dof") {
            bone.dofs = self.dofs(line);
        } else {
            // Known but not used here; limits go on over several lines.
            let known = ["id", "limits", "bodymass", "cofmass", "bodyinertia", "bodycenter"];
            if word[0] != b'(' && !known.iter().any(|known| is(known)) {
                self.stray(line, word);
            }
        }
        self.open = Some(bone);
        Ok(())
    }

    fn direction(&mut self, line: Line<'_>, bone: &Bone) -> DVec3 {
        let direction = self.vector(line, "a bone's direction");
        let length = direction.length();
        if (length - 1.0).abs() > UNIT_LENGTH && length > 0.0 {
            let message = format!("the direction of bone {:?} is {length:.4} long, expected 1", bone.name);
            let place = Some(line.number);
            self.findings.note(Severity::Warning, place, "direction-length", message, "made 1 long");
        }
        // Rounded digits are kept as they are: the twin files of CMU were made from them.
        if (length - 1.0).abs() > UNIT_LENGTH { direction.normalize_or_zero() } else { direction }
    }

    /// A bone whose block ended.
    fn keep(&mut self, mut bone: Bone) {
        if bone.name.is_empty() {
            bone.name = format!("bone_{}", self.asf.bones.len());
            let message = "a bone has no name";
            let place = Some(bone.line);
            self.findings.note(Severity::Warning, place, "name-missing", message, format!("{:?}", bone.name));
        }
        if bone.dofs.contains(&Dof::Length) {
            let message = format!("bone {:?} has a variable length", bone.name);
            let assumed = "its length stays the rest pose's";
            self.findings.note(Severity::Error, Some(bone.line), "dof-length", message, assumed);
        }
        if bone.dofs.iter().any(|dof| matches!(dof, Dof::Move(_))) {
            let message = format!("bone {:?} moves as well as turns", bone.name);
            let assumed = "from its place in rest, along its own axes";
            self.findings.note(Severity::Info, Some(bone.line), "dof-moves", message, assumed);
        }
        self.asf.bones.push(bone);
    }

    fn family(&mut self, line: Line<'_>, word: &[u8]) -> Result<(), ReadError> {
        if word.eq_ignore_ascii_case(b"begin") || word.eq_ignore_ascii_case(b"end") {
            return Ok(());
        }
        if self.asf.families.len() > MAX_BONES {
            return Err(ReadError::TooManyJoints { line: line.number, max: MAX_BONES });
        }
        self.asf.families.push((line.words().map(name).collect(), line.number));
        Ok(())
    }

    /// The degrees of freedom after the first word.
    fn dofs(&mut self, line: Line<'_>) -> Vec<Dof> {
        let mut dofs = Vec::new();
        for word in line.words().skip(1) {
            // The six and a length; a seventh of them would be one twice.
            match Dof::from_word(word).filter(|dof| !dofs.contains(dof)) {
                Some(dof) => dofs.push(dof),
                None => {
                    let message = format!(
                        "column {}: {} is no degree of freedom or stands twice",
                        line.column(word),
                        excerpt(word)
                    );
                    let place = Some(line.number);
                    self.findings.note(Severity::Error, place, "dof-unknown", message, "left out");
                }
            }
        }
        dofs
    }

    /// An order of axes such as `XYZ`.
    fn order(&mut self, line: Line<'_>, word: &[u8]) -> [Axis; 3] {
        let usual = [Axis::X, Axis::Y, Axis::Z];
        let axis = |b: &u8| usual.get(usize::from(b.to_ascii_uppercase().wrapping_sub(b'X'))).copied();
        let axes: Vec<Axis> = word.iter().filter_map(axis).collect();
        if let [a, b, c] = axes[..]
            && word.len() == 3
            && a != b
            && b != c
            && a != c
        {
            return [a, b, c];
        }
        let message = format!("the order of axes is {}, expected three of X, Y, Z", excerpt(word));
        self.findings.note(Severity::Warning, Some(line.number), "axis-order", message, "XYZ");
        usual
    }

    /// The three numbers after the first word.
    fn vector(&mut self, line: Line<'_>, what: &str) -> DVec3 {
        let mut words = line.words().skip(1);
        DVec3::from_array(std::array::from_fn(|_| {
            let word = words.next().unwrap_or_default();
            match number(word) {
                Number::Is(value) => value,
                _ => {
                    self.bad_number(line, word, what);
                    0.0
                }
            }
        }))
    }

    fn bad_number(&mut self, line: Line<'_>, word: &[u8], what: &str) {
        let message = format!("{what} is {}, expected a number", excerpt(word));
        self.findings.note(Severity::Error, Some(line.number), "number-bad", message, "0, or as usual");
    }

    fn stray(&mut self, line: Line<'_>, word: &[u8]) {
        let message = format!("{} is not known here", excerpt(word));
        self.findings.note(Severity::Warning, Some(line.number), "keyword-unknown", message, "left out");
    }
}
