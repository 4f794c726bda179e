//! `perform run --input - --output vmc:…`: frames on standard input, performed as they come.
//!
//! The format is BVH: hierarchy and header once, then one row of numbers per frame. `Frames` may be any number, as it is
//! not known in advance; `Frame Time` is the time between rows.

use std::ops::ControlFlow;
use std::time::Instant;

use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::{self, Gap, ReadOptions};
use ugoki::live::{Assembler, encode_frame_with};
use ugoki::live::{LineSource, LiveConfig, LiveEvent, MAX_LINE_BYTES, run_live};
use ugoki::perform::RunConfig;
use ugoki::skeleton::{Role, Skeleton};

use super::live::LivePerformance;
use super::{Run, RunReport};
use crate::files::plain;
use crate::{Error, Host, live};

impl Run {
    /// Rows of a BVH, performed and sent as they come.
    pub(super) fn perform_rows(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<RunReport, Error> {
        let to = live::address("--output", &self.output, host)?;
        let sender = live::open_sender(&self.output, to)?;
        let mut performance = LivePerformance::new(self, Some(sender), host.model(&self.model)?, config)?;
        let lines = LineSource::open(host.lines(&self.input)?);
        let mut rows = Rows::new(self.reading.options());
        let mut assembler = Assembler::default();
        let mut number = 0_u32;
        run_live(lines, LiveConfig::default(), &mut |event| {
            let LiveEvent::Item(line, _) = event else { return Ok(live::tick(progress)) };
            let arrived = Instant::now();
            let line = line.map_err(|error| Error::refused(plain(&error)).in_file(&self.input))?;
            let row = rows.take(&line).map_err(|error| error.in_file(&self.input))?;
            let Some((clip, gaps)) = row else { return Ok(ControlFlow::Continue(())) };
            let seconds = f64::from(number) / clip.fps();
            number += 1;
            let read = |role: Role| is_read(clip.skeleton(), &gaps, role);
            let packets = encode_frame_with(clip.skeleton(), &clip.pose(0), seconds as f32, None, &read);
            let whole = packets.iter().flat_map(|packet| assembler.packet(packet)).last();
            match assembler.finish().or(whole) {
                Some(frame) => performance.perform(&frame, seconds, arrived, host),
                None => Ok(ControlFlow::Continue(())),
            }
        })?;
        if !rows.complete {
            return Err(Error::refused(
                "frames on standard input are BVH, a hierarchy and then a row per frame",
            )
            .hint("give other formats as a file: --input FILE")
            .in_file(&self.input));
        }
        host.note(&format!("{number} rows received"));
        if rows.refused > 0 {
            host.note(&format!("{} more rows are too short or not numbers; not used", rows.refused));
        }
        performance.finish(host)
    }
}

/// Whether a row says how a bone is turned against the one above it: joints without roles between the two count too.
fn is_read(skeleton: &Skeleton, gaps: &[Gap], role: Role) -> bool {
    let mut at = skeleton.find(role);
    while let Some(joint) = at {
        if gaps.iter().any(|gap| gap.joint == joint) {
            return false;
        }
        at = skeleton.parent(joint).filter(|&parent| skeleton.joint(parent).role.is_none());
    }
    true
}

/// The text so far: everything before the rows, and how rows are read.
struct Rows {
    head: Vec<u8>,
    options: ReadOptions,
    complete: bool,
    /// Rows that are not frames: too few numbers, or words.
    refused: u32,
}

impl Rows {
    fn new(options: ReadOptions) -> Self {
        Self { head: Vec::new(), options, complete: false, refused: 0 }
    }

    /// Takes a line; returns the frame of a row and the joints without numbers in it.
    fn take(&mut self, line: &[u8]) -> Result<Option<(Clip, Vec<Gap>)>, Error> {
        if !self.complete {
            if self.head.len() + line.len() > MAX_LINE_BYTES as usize {
                return Err(Error::refused("no line \"Frame Time\" in the first megabyte"));
            }
            self.head.extend_from_slice(line);
            let words = line.trim_ascii_start();
            self.complete = words.len() >= 10 && words[..10].eq_ignore_ascii_case(b"Frame Time");
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let text = [self.head.as_slice(), line].concat();
        let read = formats::read(&text, Some("bvh"), &self.options)?;
        // Axes and unit that the first row shows hold for all.
        self.options.up = Some(read.up);
        self.options.unit_metres = Some(read.unit_metres);
        self.refused += u32::from(read.clip.num_frames() == 0);
        Ok((read.clip.num_frames() > 0).then_some((read.clip, read.marks.gaps)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_without_numbers_in_a_row_are_not_read() {
        let clip = ugoki::sample::clip("front-kick").unwrap();
        let go_on = &mut |_| ControlFlow::Continue(());
        let written = formats::write(&clip, formats::Format::Bvh, &Default::default(), go_on);
        let text = String::from_utf8(written.unwrap().bytes).unwrap();
        let mut rows = Rows::new(ReadOptions::default());
        let mut lines = text.lines().map(|line| format!("{line}\n"));
        while !rows.complete {
            assert!(rows.take(lines.next().expect("a header").as_bytes()).unwrap().is_none());
        }
        // Six columns of the hips, then three of every joint in the skeleton's order.
        let row = lines.next().expect("a row");
        let (skeleton, lost) = (clip.skeleton(), Role::RightLowerLeg);
        let column = 3 + 3 * skeleton.find(lost).expect("a knee");
        let word = |(at, word): (usize, &str)| if at == column { "nan".to_owned() } else { word.to_owned() };
        let broken = row.split_whitespace().enumerate().map(word).collect::<Vec<_>>().join(" ");
        let (read, gaps) = rows.take(broken.as_bytes()).unwrap().expect("a frame");
        for joint in read.skeleton().joints() {
            let Some(role) = joint.role else { continue };
            assert_eq!(is_read(read.skeleton(), &gaps, role), role != lost, "{role}");
        }
    }
}
