//! The parameter section: groups of named arrays.

use super::header::{BLOCK, Header};
use super::processor::Data;
use crate::{Findings, Severity};

/// Values of one parameter kept at most; longer ones are tables that are not used here.
const MAX_VALUES: usize = 1 << 16;

/// One parameter: where its values lie and what they are.
#[derive(Debug)]
struct Parameter {
    group: u8,
    name: String,
    /// −1 text, 1 byte, 2 integer, 4 real.
    kind: i8,
    dimensions: Vec<u8>,
    at: usize,
}

/// All parameters by group and name.
#[derive(Debug)]
pub(super) struct Parameters<'a> {
    data: Data<'a>,
    groups: Vec<(u8, String)>,
    list: Vec<Parameter>,
}

/// Reads the chain of groups and parameters as far as it holds together.
pub(super) fn read<'a>(data: Data<'a>, header: &Header, findings: &mut Findings) -> Parameters<'a> {
    let mut parameters = Parameters { data, groups: Vec::new(), list: Vec::new() };
    let mut at = header.parameters + 4;
    let end = end(data, header);
    loop {
        let next = entry(&mut parameters, at);
        match next {
            Entry::Last => break,
            Entry::Next(next) if next > at && next < end => at = next,
            Entry::Next(_) | Entry::Broken => {
                // Padding after the last entry ends many files' sections without a zero link.
                if at < end && data.u8(at).is_some_and(|byte| byte != 0) {
                    let message = format!("byte {at}: the chain of parameters breaks off");
                    let assumed = format!("the {} parameters before it are all", parameters.list.len());
                    findings.note(Severity::Warning, None, "parameter-chain", message, assumed);
                }
                break;
            }
        }
    }
    parameters
}

/// Byte at which the section ends: where data starts, else by its number of blocks.
fn end(data: Data<'_>, header: &Header) -> usize {
    let by_data = header.data_block.saturating_sub(1) * BLOCK;
    let by_count = header.parameters + header.parameter_blocks * BLOCK;
    let end = if by_data > header.parameters { by_data } else { by_count };
    if end > header.parameters { end.min(data.bytes.len()) } else { data.bytes.len() }
}

enum Entry {
    Next(usize),
    Last,
    Broken,
}

fn entry(parameters: &mut Parameters<'_>, at: usize) -> Entry {
    read_entry(parameters, at).unwrap_or(Entry::Broken)
}

/// One group or parameter; `None` beyond the end of the file.
fn read_entry(parameters: &mut Parameters<'_>, at: usize) -> Option<Entry> {
    let data = parameters.data;
    // A negative length means that the entry is locked.
    let length = usize::from((data.u8(at)? as i8).unsigned_abs());
    let id = data.u8(at + 1)? as i8;
    if length == 0 || id == 0 {
        return Some(Entry::Last);
    }
    let name = text(data.bytes.get(at + 2..at + 2 + length)?).to_ascii_uppercase();
    let link_at = at + 2 + length;
    let link = usize::from(data.u16(link_at)?);
    if id < 0 {
        parameters.groups.push((id.unsigned_abs(), name));
    } else {
        let kind = data.u8(link_at + 2)? as i8;
        let count = usize::from(data.u8(link_at + 3)?);
        let dimensions = data.bytes.get(link_at + 4..link_at + 4 + count)?.to_vec();
        if matches!(kind, -1 | 1 | 2 | 4) {
            let group = id.unsigned_abs();
            parameters.list.push(Parameter { group, name, kind, dimensions, at: link_at + 4 + count });
        }
    }
    Some(if link == 0 { Entry::Last } else { Entry::Next(link_at + link) })
}

impl Parameter {
    /// How many values there are; one without dimensions.
    fn count(&self) -> usize {
        self.dimensions.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::from(d))).unwrap_or(usize::MAX)
    }
}

impl Parameters<'_> {
    fn find(&self, group: &str, name: &str) -> Option<&Parameter> {
        // Some files list a group twice or a parameter before its group.
        let ids = self.groups.iter().filter(|(_, known)| known == group).map(|(id, _)| *id);
        ids.into_iter()
            .find_map(|id| self.list.iter().find(|parameter| parameter.group == id && parameter.name == name))
    }

    /// Numbers of an integer or real parameter; integers are taken as unsigned, since frame counts are.
    pub(super) fn numbers(&self, group: &str, name: &str) -> Option<Vec<f64>> {
        let parameter = self.find(group, name)?;
        let count = parameter.count().min(MAX_VALUES);
        let width = match parameter.kind {
            1 => 1,
            2 => 2,
            4 => 4,
            _ => return None,
        };
        let value = |i: usize| {
            let at = parameter.at + i * width;
            match width {
                1 => self.data.u8(at).map(f64::from),
                2 => self.data.u16(at).map(f64::from),
                _ => self.data.f32(at).map(decimal),
            }
        };
        let values: Vec<f64> = (0..count).map_while(value).collect();
        (values.len() == count).then_some(values)
    }

    /// The first number of a parameter.
    pub(super) fn number(&self, group: &str, name: &str) -> Option<f64> {
        self.numbers(group, name)?.first().copied()
    }

    /// The texts of a parameter: its first dimension is their width.
    pub(super) fn texts(&self, group: &str, name: &str) -> Option<Vec<String>> {
        let parameter = self.find(group, name).filter(|parameter| parameter.kind == -1)?;
        let width = parameter.dimensions.first().map_or(1, |&d| usize::from(d));
        if width == 0 {
            return Some(Vec::new());
        }
        let count = (parameter.count() / width).min(MAX_VALUES);
        // A section cut off in the middle of the labels still gives those before.
        let one = |i: usize| {
            let at = parameter.at.checked_add(i * width)?;
            Some(text(self.data.bytes.get(at..at + width)?))
        };
        Some((0..count).map_while(one).collect())
    }

    /// The first text of a parameter.
    pub(super) fn text(&self, group: &str, name: &str) -> Option<String> {
        self.texts(group, name)?.into_iter().next().filter(|text| !text.is_empty())
    }

    /// The texts of `name`, `name2`, `name3` …: how more than 255 of them are stored.
    pub(super) fn texts_in_parts(&self, group: &str, name: &str) -> Vec<String> {
        let mut all = self.texts(group, name).unwrap_or_default();
        for part in 2.. {
            match self.texts(group, &format!("{name}{part}")) {
                Some(more) => all.extend(more),
                None => return all,
            }
        }
        all
    }
}

/// The number that the digits of a single-precision number mean: 59.94, not 59.93999862670898.
pub(super) fn decimal(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// Text without padding; what is not UTF-8 is taken as Latin-1.
fn text(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    };
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()
}
