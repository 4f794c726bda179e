//! `ugoki perform run --input - --output vmc:…`: frames on standard input, performed as they come.
//!
//! The format is BVH: the hierarchy and the header once, then one row of numbers per frame. `Frames` may say anything,
//! since nobody knows beforehand; `Frame Time` is the time between rows.

use std::io::{BufRead as _, Read as _};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use ugoki::clip::Clip;
use ugoki::formats::{self, Gap, ReadOptions};
use ugoki::live::{Assembler, encode_frame_with};
use ugoki::skeleton::{Role, Skeleton};
use ugoki_db::default_skeleton;
use ugoki_studio::live::{Proxy, Sender};
use ugoki_verbs::perform::Run;

use super::perform_live::{LIVE_FPS, Told};
use crate::failure::Failure;
use crate::interrupt::stopped;
use crate::{files, live, models, output};

/// Rows that wait at most, and the most bytes of one: a row of a thousand joints has less.
const WAITING: usize = 64;
const LONGEST: u64 = 1 << 20;

pub(super) fn run(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    let to = live::place("--output", &request.output)?;
    let sender = Sender::open(to).map_err(|error| Failure::of_file(&request.output, &error))?;
    let model = models::read(&request.model)?;
    let refused = |error: ugoki_studio::live::ProxyError| Failure::of_file(&request.model, &error);
    let mut proxy =
        Proxy::build(model, &default_skeleton(), LIVE_FPS, request.recognition).map_err(refused)?;
    let lines = lines();
    let mut rows =
        Rows { head: Vec::new(), options: files::options(&request.reading)?, complete: false, refused: 0 };
    let mut assembler = Assembler::default();
    let mut told = Told::default();
    let mut number = 0_u32;
    while let Some(line) = next(&lines) {
        let line = line.map_err(|error| Failure::of_file("-", &files::plain(&error)))?;
        let came = Instant::now();
        let Some((clip, gaps)) = rows.take(&line)? else { continue };
        let seconds = f64::from(number) / clip.fps();
        number += 1;
        let read = |role: Role| is_read(clip.skeleton(), &gaps, role);
        let packets = encode_frame_with(clip.skeleton(), &clip.pose(0), seconds as f32, None, &read);
        let whole = packets.iter().flat_map(|packet| assembler.packet(packet)).last();
        let Some(frame) = assembler.finish().or(whole) else { continue };
        let (packets, found) = proxy.frame(&frame, seconds);
        sender.send(&packets).map_err(|error| Failure::of_file(&request.output, &error))?;
        told.delayed(came.elapsed());
        told.take(&proxy, &frame, found, false);
    }
    if !rows.complete {
        return Err(Failure::of_file(
            "-",
            &"frames on standard input are BVH, a hierarchy and then a row per frame",
        )
        .hint("give other formats as a file: --input FILE"));
    }
    output::note(&format!("{number} rows came"));
    if rows.refused > 0 {
        output::note(&format!("{} rows more are no frames, too short or no numbers; not used", rows.refused));
    }
    told.finish(request, &proxy, json)
}

/// Whether a row tells how a bone is turned against the one above it: joints without roles between the two count too.
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

/// What came so far of the text: all before the rows, and how rows are read.
struct Rows {
    head: Vec<u8>,
    options: ReadOptions,
    complete: bool,
    /// Rows that are no frame: too few numbers, or words.
    refused: u32,
}

impl Rows {
    /// Takes a line; gives the frame of a row and which joints have no numbers in it.
    fn take(&mut self, line: &[u8]) -> Result<Option<(Clip, Vec<Gap>)>, Failure> {
        if !self.complete {
            if self.head.len() + line.len() > LONGEST as usize {
                return Err(Failure::of_file("-", &"no line \"Frame Time\" in the first megabyte"));
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
        let read = formats::read(&text, Some("bvh"), &self.options)
            .map_err(|error| Failure::of_reading("-", &error))?;
        // What the first row told of the file holds for all.
        self.options.up = Some(read.up);
        self.options.unit_metres = Some(read.unit_metres);
        self.refused += u32::from(read.clip.num_frames() == 0);
        Ok((read.clip.num_frames() > 0).then_some((read.clip, read.marks.gaps)))
    }
}

type Line = std::io::Result<Vec<u8>>;

/// Lines of standard input, read by a thread so that Ctrl-C is heard between them.
fn lines() -> Receiver<Line> {
    let (give, take) = sync_channel(WAITING);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
            let over = !matches!(read, Ok(len) if len > 0);
            let item = match read {
                Ok(0) => return,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            if give.send(item).is_err() || over {
                return;
            }
        }
    });
    take
}

/// The next line; `None` at the end or when told to stop.
fn next(lines: &Receiver<Line>) -> Option<Line> {
    while !stopped() {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_nan_tells_which_bones_it_has_not() {
        let clip = ugoki::sample::clip("front-kick").expect("a sample motion");
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let written = ugoki::formats::write(&clip, formats::Format::Bvh, &Default::default(), go_on);
        let text = String::from_utf8(written.expect("BVH holds it").bytes).expect("text");
        let mut rows =
            Rows { head: Vec::new(), options: ReadOptions::default(), complete: false, refused: 0 };
        let mut lines = text.lines().map(|line| format!("{line}\n"));
        while !rows.complete {
            assert!(rows.take(lines.next().expect("a header").as_bytes()).expect("sound").is_none());
        }
        // Six columns of the hips, then three of every joint in the skeleton's order.
        let row = lines.next().expect("a row");
        let (skeleton, lost) = (clip.skeleton(), Role::RightLowerLeg);
        let column = 3 + 3 * skeleton.find(lost).expect("a knee");
        let word = |(at, word): (usize, &str)| if at == column { "nan".to_owned() } else { word.to_owned() };
        let broken = row.split_whitespace().enumerate().map(word).collect::<Vec<_>>().join(" ");
        let (read, gaps) = rows.take(broken.as_bytes()).expect("read").expect("a frame");
        for joint in read.skeleton().joints() {
            let Some(role) = joint.role else { continue };
            assert_eq!(is_read(read.skeleton(), &gaps, role), role != lost, "{role}");
        }
    }
}
