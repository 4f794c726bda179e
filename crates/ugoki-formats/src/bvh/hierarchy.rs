//! The tree of joints, as forgivingly as it can be read without guessing.
//!
//! One loop over words with a stack of open joints, so depth costs no recursion. Braces decide the
//! tree; a missing one is reported and the likeliest meaning taken.

use glam::DVec3;
use ugoki_base::clip::{ChannelKind, SourceChannel};

use crate::error::excerpt;
use crate::text::{Cursor, Slow, slow, word_is};
use crate::{Findings, ReadError, Severity};

/// Joints a file may have; detailed hands and faces take a few hundred.
const MAX_JOINTS: usize = 100_000;

/// A joint as the file gives it, in the file's units and axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelJoint {
    /// Its name as written.
    pub name: String,
    /// Index of its parent.
    pub parent: Option<usize>,
    /// `OFFSET`, in the file's units.
    pub offset: DVec3,
    /// Its end sites' offsets.
    pub tips: Vec<DVec3>,
    /// Line of its name.
    pub line: u32,
}

/// What the hierarchy part of a file says.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub joints: Vec<ChannelJoint>,
    /// One per column of the motion table; `None` for an unknown channel.
    pub columns: Vec<Option<SourceChannel>>,
    /// Whether a motion part follows.
    pub motion: bool,
}

/// What an open brace belongs to.
#[derive(Clone, Copy)]
enum Open {
    Joint(usize),
    /// An end site of this joint.
    End(usize),
}

/// Reads up to and including the word MOTION.
pub(super) fn read(cursor: &mut Cursor<'_>, findings: &mut Findings) -> Result<Tree, ReadError> {
    find_start(cursor, findings)?;
    let mut reader = Reader { cursor, findings, tree: Tree::default(), open: Vec::new(), odd_case: None };
    reader.run()?;
    let Reader { tree, open, odd_case, .. } = reader;
    let line = cursor.line();
    if !open.is_empty() {
        let message = format!("{} closing braces are missing", open.len());
        findings.note(Severity::Warning, Some(line), "brace-missing", message, "they are all here");
    }
    if let Some((line, word)) = odd_case {
        let message = format!("keyword written as {word:?}");
        findings.info(Some(line), "keyword-case", message);
    }
    if tree.joints.is_empty() {
        return Err(ReadError::NoJoints { line });
    }
    Ok(tree)
}

/// Moves to HIERARCHY, or to ROOT where that word is missing.
fn find_start(cursor: &mut Cursor<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    /// Bytes of foreign text tolerated in front.
    const PREAMBLE: usize = 4096;
    cursor.skip_space();
    let start = cursor.pos;
    if start == cursor.bytes.len() {
        return Err(ReadError::Empty);
    }
    while cursor.pos < cursor.bytes.len() && cursor.pos - start < PREAMBLE {
        if word_is(cursor.rest(), b"HIERARCHY") {
            break;
        }
        if word_is(cursor.rest(), b"ROOT") {
            let line = Some(cursor.line());
            findings.note(
                Severity::Warning,
                line,
                "hierarchy-missing",
                "the word HIERARCHY is missing",
                "ROOT starts it",
            );
            break;
        }
        cursor.skip_line();
        cursor.skip_space();
    }
    if !word_is(cursor.rest(), b"HIERARCHY") && !word_is(cursor.rest(), b"ROOT") {
        let (line, column) = (cursor.line_at(start), cursor.column_at(start));
        return Err(ReadError::NotBvh { line, column, found: excerpt(&cursor.bytes[start..]) });
    }
    if cursor.pos > start {
        let line = Some(cursor.line_at(start));
        let message = format!("text before the hierarchy: {}", excerpt(&cursor.bytes[start..]));
        findings.note(Severity::Warning, line, "stray-text", message, "left out");
    }
    Ok(())
}

struct Reader<'c, 'a, 'f> {
    cursor: &'c mut Cursor<'a>,
    findings: &'f mut Findings,
    tree: Tree,
    open: Vec<Open>,
    /// First keyword not capitalised as usual.
    odd_case: Option<(u32, String)>,
}

impl Reader<'_, '_, '_> {
    fn run(&mut self) -> Result<(), ReadError> {
        loop {
            self.cursor.skip_space();
            let start = self.cursor.pos;
            let word = self.cursor.word();
            match word {
                [] => return Ok(()),
                b"{" => self.stray("a brace opens nothing", start),
                b"}" => self.close(start),
                _ if self.keyword(word, "HIERARCHY") => {}
                _ if self.keyword(word, "ROOT") => self.root(start)?,
                _ if self.keyword(word, "JOINT") => self.joint(start)?,
                _ if self.keyword(word, "End") || word.eq_ignore_ascii_case(b"EndSite") => {
                    self.end_site(start);
                }
                _ if self.keyword(word, "OFFSET") => self.offset(start),
                _ if self.keyword(word, "CHANNELS") => self.channels(start)?,
                _ if self.keyword(word, "MOTION") => {
                    self.tree.motion = true;
                    return Ok(());
                }
                _ if word_is(word, b"Frames") && !self.tree.joints.is_empty() => {
                    self.cursor.pos = start;
                    self.tree.motion = true;
                    let line = Some(self.cursor.line());
                    self.findings.note(
                        Severity::Warning,
                        line,
                        "motion-missing",
                        "the word MOTION is missing before Frames",
                        "the motion starts here",
                    );
                    return Ok(());
                }
                _ => {
                    self.stray(&format!("{} in the hierarchy", excerpt(word)), start);
                    self.cursor.rest_of_line();
                }
            }
        }
    }

    /// Whether `word` is this keyword in any capitals; other capitals than usual are remembered.
    fn keyword(&mut self, word: &[u8], usual: &str) -> bool {
        if !word.eq_ignore_ascii_case(usual.as_bytes()) {
            return false;
        }
        if word != usual.as_bytes() && self.odd_case.is_none() {
            self.odd_case = Some((self.cursor.line(), String::from_utf8_lossy(word).into_owned()));
        }
        true
    }

    fn stray(&mut self, what: &str, at: usize) {
        let line = Some(self.cursor.line_at(at));
        self.findings.note(Severity::Warning, line, "stray-text", what, "left out");
    }

    fn close(&mut self, at: usize) {
        if self.open.pop().is_none() {
            self.stray("a brace closes nothing", at);
        }
    }

    fn root(&mut self, at: usize) -> Result<(), ReadError> {
        if !self.open.is_empty() {
            let line = Some(self.cursor.line_at(at));
            let message = format!("{} closing braces are missing before ROOT", self.open.len());
            self.findings.note(Severity::Warning, line, "brace-missing", message, "they are all here");
            self.open.clear();
        }
        self.begin(at, None)
    }

    fn joint(&mut self, at: usize) -> Result<(), ReadError> {
        while let Some(Open::End(_)) = self.open.last() {
            self.open.pop();
            let line = Some(self.cursor.line_at(at));
            let what = "an end site is not closed before JOINT";
            self.findings.note(Severity::Warning, line, "brace-missing", what, "it ends here");
        }
        let parent = match self.open.last() {
            Some(Open::Joint(parent)) => Some(*parent),
            _ => None,
        };
        if parent.is_none() {
            let line = Some(self.cursor.line_at(at));
            let what = "a JOINT stands outside all braces";
            self.findings.note(Severity::Warning, line, "joint-outside", what, "it is another root");
        }
        self.begin(at, parent)
    }

    /// A joint's name and opening brace.
    fn begin(&mut self, at: usize, parent: Option<usize>) -> Result<(), ReadError> {
        let line = self.cursor.line_at(at);
        let index = self.tree.joints.len();
        if index == MAX_JOINTS {
            return Err(ReadError::TooManyJoints { line, max: MAX_JOINTS });
        }
        let mut name = self.cursor.rest_of_line();
        if name.is_empty() {
            // Some writers put the name on its own line.
            let here = self.cursor.pos;
            let word = self.cursor.word();
            let known = ["OFFSET", "CHANNELS", "JOINT", "ROOT", "End", "MOTION", "{", "}", ""];
            if known.iter().any(|k| word.eq_ignore_ascii_case(k.as_bytes())) {
                self.cursor.pos = here;
            } else {
                name = word;
            }
        }
        let text = String::from_utf8_lossy(name);
        // Control characters would not survive being written and read again.
        let mut name = text.trim().replace(|c: char| c.is_control(), "_");
        if matches!(text, std::borrow::Cow::Owned(_)) || name != text {
            let message = format!("the name {:?} is not plain UTF-8", text.trim());
            self.findings.note(
                Severity::Warning,
                Some(line),
                "name-encoding",
                message,
                "unknown bytes are replaced",
            );
        }
        if name.is_empty() {
            name = format!("joint_{index}");
            let message = "a joint has no name";
            self.findings.note(Severity::Warning, Some(line), "name-missing", message, format!("{name:?}"));
        }
        let joint = ChannelJoint { name, parent, offset: DVec3::NAN, tips: Vec::new(), line };
        self.tree.joints.push(joint);
        self.open_brace(line);
        self.open.push(Open::Joint(index));
        Ok(())
    }

    fn open_brace(&mut self, line: u32) {
        self.cursor.skip_space();
        if self.cursor.peek() == Some(b'{') {
            self.cursor.pos += 1;
        } else {
            let what = "no brace opens after a name";
            self.findings.note(Severity::Warning, Some(line), "brace-missing", what, "it opens here");
        }
    }

    fn end_site(&mut self, at: usize) {
        let line = self.cursor.line_at(at);
        let rest = self.cursor.rest_of_line();
        if let Some(word) = rest.split(u8::is_ascii_whitespace).next()
            && word.eq_ignore_ascii_case(b"Site")
        {
            self.keyword(word, "Site");
        }
        // Inside another end site it belongs to the same joint; outside all joints to none.
        let inner = self.open.iter().rev().find_map(|open| match open {
            Open::Joint(joint) => Some(*joint),
            Open::End(_) => None,
        });
        if !matches!(self.open.last(), Some(Open::Joint(_))) {
            self.stray("an end site that is not directly in a joint", at);
        }
        let owner = inner.unwrap_or(usize::MAX);
        self.open_brace(line);
        self.open.push(Open::End(owner));
    }

    fn offset(&mut self, at: usize) {
        let mut v = [0.0; 3];
        let mut found = 0;
        'numbers: while found < 3 {
            let here = self.cursor.pos;
            self.cursor.skip_space();
            let start = self.cursor.pos;
            let word = self.cursor.word();
            let (end, mut i) = (self.cursor.pos, start);
            if word.is_empty() {
                break;
            }
            while i < end && found < 3 {
                match slow(self.cursor.bytes, i, end) {
                    Slow::Number { value, end, exponent, .. } => {
                        if exponent && self.findings.count("exponents") == 0 {
                            let line = Some(self.cursor.line_at(start));
                            self.findings.info(line, "exponents", "offsets have exponents");
                        }
                        v[found] = value;
                        i = end;
                    }
                    Slow::NotFinite => {
                        let line = Some(self.cursor.line_at(start));
                        let what = format!("an offset is {}", excerpt(word));
                        self.findings.note(Severity::Error, line, "not-finite", what, "0");
                        i = end;
                    }
                    Slow::Bad => {
                        self.cursor.pos = here;
                        break 'numbers;
                    }
                }
                found += 1;
            }
        }
        if found < 3 {
            let line = Some(self.cursor.line_at(at));
            let what = format!("OFFSET with {found} numbers, expected 3");
            self.findings.note(Severity::Error, line, "offset-short", what, "the missing ones are 0");
            // What stands there instead is no part of the tree.
            if self.cursor.peek().is_some() && found > 0 {
                self.cursor.rest_of_line();
            }
        }
        match self.open.last() {
            Some(&Open::Joint(joint)) => self.tree.joints[joint].offset = v.into(),
            Some(&Open::End(joint)) if joint < self.tree.joints.len() => {
                self.tree.joints[joint].tips.push(v.into());
            }
            _ => self.stray("OFFSET outside a joint", at),
        }
    }

    fn channels(&mut self, at: usize) -> Result<(), ReadError> {
        let line = self.cursor.line_at(at);
        let joint = match self.open.last() {
            Some(&Open::Joint(joint)) => joint,
            Some(&Open::End(owner)) if owner < self.tree.joints.len() => self.promote(owner, line)?,
            _ => {
                self.stray("CHANNELS outside a joint", at);
                self.cursor.rest_of_line();
                return Ok(());
            }
        };
        let here = self.cursor.pos;
        let word = self.cursor.word();
        let claimed = std::str::from_utf8(word).ok().and_then(|text| text.parse::<u64>().ok());
        if claimed.is_none() {
            self.cursor.pos = here;
        }
        let first = self.tree.columns.len();
        loop {
            let here = self.cursor.pos;
            self.cursor.skip_space();
            let start = self.cursor.pos;
            let word = self.cursor.word();
            let same_line = self.cursor.line_at(start) == line;
            match channel_kind(word) {
                Some((kind, usual)) => {
                    if !usual && self.findings.count("channel-spelling") == 0 {
                        let message = format!("channel written as {}", excerpt(word));
                        self.findings.info(Some(line), "channel-spelling", message);
                    }
                    self.tree.columns.push(Some(SourceChannel { joint, kind }));
                }
                None if same_line && !matches!(word, b"" | b"{" | b"}") && !is_keyword(word) => {
                    let message = format!("unknown channel {}", excerpt(word));
                    let assumed = "its column is read and left out";
                    self.findings.note(Severity::Warning, Some(line), "channel-unknown", message, assumed);
                    self.tree.columns.push(None);
                }
                None => {
                    self.cursor.pos = here;
                    break;
                }
            }
        }
        let named = self.tree.columns.len() - first;
        if claimed != Some(named as u64) {
            let claim = claimed.map_or("no number".to_owned(), |n| n.to_string());
            let message = format!("CHANNELS says {claim}, {named} are named");
            let assumed = format!("{named} channels");
            self.findings.note(Severity::Warning, Some(line), "channel-count", message, assumed);
        }
        Ok(())
    }

    /// An end site with channels is a joint.
    fn promote(&mut self, owner: usize, line: u32) -> Result<usize, ReadError> {
        let index = self.tree.joints.len();
        if index == MAX_JOINTS {
            return Err(ReadError::TooManyJoints { line, max: MAX_JOINTS });
        }
        let name = format!("{}_end", self.tree.joints[owner].name);
        let message = "an end site has channels";
        let assumed = format!("it is a joint, {name:?}");
        self.findings.note(Severity::Warning, Some(line), "end-site-channels", message, assumed);
        let offset = self.tree.joints[owner].tips.pop().unwrap_or(DVec3::NAN);
        self.tree.joints.push(ChannelJoint { name, parent: Some(owner), offset, tips: Vec::new(), line });
        if let Some(open) = self.open.last_mut() {
            *open = Open::Joint(index);
        }
        Ok(index)
    }
}

fn is_keyword(word: &[u8]) -> bool {
    [&b"JOINT"[..], b"ROOT", b"End", b"OFFSET", b"CHANNELS", b"MOTION", b"HIERARCHY"]
        .iter()
        .any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// What a channel name means, and whether it is spelt `Xposition` or `Xrotation` as usual.
fn channel_kind(word: &[u8]) -> Option<(ChannelKind, bool)> {
    let (&first, rest) = word.split_first()?;
    let axis = match first.to_ascii_lowercase() {
        b'x' => 0,
        b'y' => 1,
        b'z' => 2,
        _ => return None,
    };
    let is = |names: [&[u8]; 3]| names.iter().any(|name| rest.eq_ignore_ascii_case(name));
    if is([b"position", b"pos", b"translation"]) {
        Some((ChannelKind::Position(axis), first.is_ascii_uppercase() && rest == b"position"))
    } else if is([b"rotation", b"rot", b"rotate"]) {
        Some((ChannelKind::Rotation(axis), first.is_ascii_uppercase() && rest == b"rotation"))
    } else {
        None
    }
}
