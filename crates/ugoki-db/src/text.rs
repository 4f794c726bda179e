//! Reports of the database as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::path::Path;

use crate::{
    AddReport, CheckReport, ClipDetails, ClipNote, ClipRow, ContactsFrom, DatabaseDetails, RemoveReport,
    Sameness,
};

/// Text forms of reports, without a line end.
macro_rules! display {
    ($($report:ty: $text:expr;)*) => {
        $(impl fmt::Display for $report {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text(self).trim_end_matches('\n'))
            }
        })*
    };
}

display! {
    AddReport: added;
    DatabaseDetails: about;
    ClipDetails: details;
}

/// Lines of text that grow.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, line: impl AsRef<str>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{}", line.as_ref());
    }

    /// Names with remarks; names with the same remark are on one line, in the order of the first.
    fn grouped<'a>(&mut self, remarks: impl Iterator<Item = (&'a str, &'a str)>) {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, what) in remarks {
            match groups.iter_mut().find(|(known, _)| *known == what) {
                Some((_, names)) => names.push(name),
                None => groups.push((what, vec![name])),
            }
        }
        for (what, names) in groups {
            let shown = &names[..names.len().min(SHOWN)];
            let more = match names.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.add(format!("  {}{more}: {what}", shown.join(", ")));
        }
    }
}

/// Names shown of a group.
const SHOWN: usize = 4;

impl fmt::Display for RemoveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = [self.bytes_before, self.bytes_after].map(|bytes| bytes as f64 / 1e6);
        write!(
            f,
            "removed {}, {before:.1} MB are now {after:.1} MB",
            counted(self.removed.len(), "clip", "clips")
        )?;
        if !self.models.is_empty() {
            write!(f, "\nperformance models of {} are gone with them", self.models.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let structure = self.structure.iter().map(|line| format!("structure: {line}"));
        let broken = self.broken.iter().map(|clip| format!("{}: {}", clip.name, clip.message));
        let mut lines: Vec<String> = structure.chain(broken).collect();
        if self.outdated > 0 {
            let were = if self.outdated == 1 { "was" } else { "were" };
            let clips = format!("{} {were}", counted(self.outdated, "clip", "clips"));
            lines.push(format!("{clips} derived by another version and not checked"));
        }
        if !self.repaired.is_empty() {
            let clips = counted(self.repaired.len(), "clip", "clips");
            lines.push(format!("repaired   {clips}: {}", self.repaired.join(", ")));
        }
        let verdict = match (self.sound, self.outdated) {
            (true, 0) => "sound",
            (true, _) => "sound as far as looked at",
            (false, _) => "NOT sound",
        };
        let compared = match self.derived {
            0 => "no derived form compared".to_owned(),
            derived => format!(
                "{} compared, largest error {:.4} mm at 3 cm off a joint{}",
                counted(derived, "derived form", "derived forms"),
                self.largest_error_mm,
                self.worst.as_ref().map_or_else(String::new, |name| format!(" ({name})"))
            ),
        };
        let built = match self.built {
            0 => String::new(),
            built => format!(" and {built} built from clips"),
        };
        lines.push(format!("{verdict}: {}{built} decoded, {compared}", counted(self.clips, "clip", "clips")));
        f.write_str(&lines.join("\n"))
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn added(report: &AddReport) -> String {
    let mut lines = Lines::default();
    let clips: usize = report.added.iter().map(|file| file.clips.len()).sum();
    let replaced = report.added.iter().filter(|file| file.replaced).count();
    if report.added.is_empty() && !report.stopped {
        let same = report.relabelled + report.renewed == 0;
        lines.add(if same { "nothing new, nothing done" } else { "nothing new" });
    } else {
        let changed = if replaced > 0 { format!(", {replaced} of them read again") } else { String::new() };
        lines.add(format!(
            "added      {} from {}{changed}",
            counted(clips, "clip", "clips"),
            counted(report.added.len(), "file", "files")
        ));
    }
    for (count, label, what) in [
        (report.passed.unchanged, "unchanged", "in the database already"),
        (report.passed.moved, "moved", "in the database already, found in a new place"),
        (report.passed.removed, "left out", "removed earlier; name a file itself to add it again"),
    ] {
        if count > 0 {
            lines.add(format!("{label:<10} {} {what}", counted(count, "file", "files")));
        }
    }
    if report.passed.removed_takes > 0 {
        lines.add(format!(
            "left out   {} of these, removed earlier; name a file itself to add it again",
            counted(report.passed.removed_takes, "take", "takes")
        ));
    }
    if report.relabelled > 0 {
        lines.add(format!(
            "labelled   {} of these with the tags and licence given now",
            counted(report.relabelled, "file", "files")
        ));
    }
    if report.renewed > 0 {
        lines.add(format!(
            "renewed    {} derived by an older program",
            counted(report.renewed, "clip", "clips")
        ));
    }
    let underived: Vec<&ClipNote> = report.added.iter().flat_map(|file| &file.underived).collect();
    if !underived.is_empty() {
        lines.add(format!(
            "as is      {} kept only on their own skeleton:",
            counted(underived.len(), "clip", "clips")
        ));
        lines.grouped(underived.iter().map(|note| (&*note.clip, &*note.note)));
    }
    let warnings: Vec<&ClipNote> = report.added.iter().flat_map(|file| &file.warnings).collect();
    if !warnings.is_empty() {
        let names: BTreeSet<&str> = warnings.iter().map(|note| &*note.clip).collect();
        lines.add(format!("look at    {}:", counted(names.len(), "clip", "clips")));
        lines.grouped(warnings.iter().map(|note| (&*note.clip, &*note.note)));
    }
    if !report.duplicates.is_empty() {
        lines.add(format!(
            "twice      {} with motion that was there:",
            counted(report.duplicates.len(), "clip", "clips")
        ));
        for duplicate in &report.duplicates {
            let how = match duplicate.how {
                Sameness::SameBytes => "the same bytes",
                Sameness::SameMotion => "the same motion",
            };
            lines.add(format!("  {} has {how} as {}", duplicate.clip, duplicate.of));
        }
    }
    if !report.skipped.is_empty() {
        lines.add(format!("skipped    {}:", counted(report.skipped.len(), "file", "files")));
        let remarks: Vec<(&str, String)> = report
            .skipped
            .iter()
            .map(|skipped| {
                let problem = &skipped.problem;
                let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
                let known = if skipped.known { " (as before)" } else { "" };
                let what = format!("{}{hint}{known}", problem.message.replace('\n', " "));
                (problem.file.as_deref().unwrap_or("?"), what)
            })
            .collect();
        lines.grouped(remarks.iter().map(|(file, what)| (*file, what.as_str())));
    }
    if !report.ignored.is_empty() {
        lines.add(format!(
            "ignored    {} that are no motion files: {}",
            counted(report.ignored.len(), "file", "files"),
            endings(&report.ignored)
        ));
    }
    lines.0
}

/// `2 .md, 1 .tsv`
fn endings(files: &[String]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let ending = Path::new(file).extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        *counts.entry(ending.unwrap_or_else(|| "without ending".to_owned())).or_default() += 1;
    }
    counts.iter().map(|(ending, count)| format!("{count} {ending}")).collect::<Vec<_>>().join(", ")
}

/// Clips as a table with a head and a count.
#[must_use]
pub fn clip_table(clips: &[ClipRow]) -> String {
    let mut lines = Lines::default();
    let width = clips.iter().map(|clip| clip.name.chars().count()).max().unwrap_or(0).clamp(4, 40);
    if !clips.is_empty() {
        lines.add(format!(
            "{:>6}  {:<width$}  {:>8}  {:>7}  {:>5}  {:>5}  tags",
            "id", "name", "seconds", "frames", "fps", "m/s"
        ));
    }
    for clip in clips {
        let speed = clip.speed_m_s.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.2}"));
        let fps = format!("{:.2}", clip.fps);
        let fps = fps.trim_end_matches('0').trim_end_matches('.');
        lines.add(format!(
            "{:>6}  {:<width$}  {:>8.2}  {:>7}  {fps:>5}  {speed:>5}  {}",
            clip.id,
            clip.name,
            clip.seconds,
            clip.frames,
            clip.tags.join(" ")
        ));
    }
    lines.add(counted(clips.len(), "clip", "clips"));
    lines.0.trim_end_matches('\n').to_owned()
}

fn about(database: &DatabaseDetails) -> String {
    let mut lines = Lines::default();
    lines.add(format!(
        "clips      {}, {:.1} s{}",
        database.clips,
        database.seconds,
        if database.underived > 0 {
            format!("; {} only on their own skeleton", database.underived)
        } else {
            String::new()
        }
    ));
    lines.add(format!("skeleton   {} joints, {} frames per second", database.joints, database.fps));
    lines.add(format!(
        "files      {} looked at, {} of them could not be used; {}",
        database.files,
        database.refused,
        counted(database.skeletons, "skeleton", "skeletons")
    ));
    lines.add(format!(
        "size       {:.1} MB, version {}, made by ugoki {}",
        database.bytes as f64 / 1e6,
        database.version,
        database.program
    ));
    let tags: Vec<String> = database.tags.iter().map(|(tag, count)| format!("{tag} {count}")).collect();
    lines.add(format!("tags       {}", tags.join(", ")));
    lines.0
}

fn details(clip: &ClipDetails) -> String {
    let mut lines = Lines::default();
    let row = &clip.row;
    lines.add(format!("{} (id {})", row.name, row.id));
    lines.add(format!("  motion     {:.3} s, {} frames at {} per second", row.seconds, row.frames, row.fps));
    lines.add(format!(
        "  came as    {} frames at {} per second, {} joints{}",
        clip.source_frames,
        clip.source_fps,
        clip.source_joints,
        if clip.tpose_frame { ", frame 0 an added T-pose" } else { "" }
    ));
    if let Some(reason) = &clip.underived {
        lines.add(format!("  as is      only on its own skeleton: {reason}"));
    }
    if let Some(original) = &row.duplicate_of {
        lines.add(format!("  twice      the same motion as {original}"));
    }
    lines.add(format!("  tags       {}", clip.user_tags.join(" ")));
    lines.add(format!("  automatic  {}", clip.automatic_tags.join(" ")));
    if let Some(m) = clip.measures {
        lines.add(format!(
            "  measured   {:.2} m/s mean, {:.2} m/s peak, {:.2} m way, turn {:+.0}° (left {:.0}°, right {:.0}°), {} steps, {} flights",
            m.speed_m_s, m.peak_m_s, m.path_m, m.turn_deg, m.left_deg, m.right_deg, m.steps, m.flights
        ));
    }
    if let Some([start, end]) = clip.loop_frames {
        lines.add(format!("  loop       frames {start} to {}", end.saturating_sub(1)));
    }
    if let Some(contacts) = clip.contacts {
        let from = match contacts.from {
            ContactsFrom::Given => "given by the file",
            ContactsFrom::Found => "found in the motion",
        };
        lines.add(format!(
            "  contacts   {from}: the left foot stands {}, the right {}",
            counted(contacts.left, "time", "times"),
            counted(contacts.right, "time", "times")
        ));
    }
    let derived = clip
        .derived_bytes
        .map_or_else(String::new, |bytes| format!(", {:.1} kB derived", bytes as f64 / 1e3));
    lines.add(format!("  size       {:.1} kB lossless{derived}", clip.source_bytes as f64 / 1e3));
    if let Some(file) = &clip.file {
        let format = file.format.map_or("?", |format| format.name());
        lines.add(format!("  file       {} ({format}, take {})", file.path, clip.take));
        lines.add(format!("  sha256     {}", file.sha256));
        if let Some(licence) = &file.licence {
            let text = file.licence_text.as_deref().unwrap_or_default();
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            lines.add(format!("  licence    {licence}: {first}"));
        }
        for finding in &file.findings {
            lines.add(format!("  {:<10} {} [{}]", finding.severity, finding.message, finding.code));
        }
    }
    lines.0
}
