//! Bytes to a clip with its findings.

use std::sync::Arc;

use ugoki_base::clip::{Clip, Source};

use super::channel_findings;
use super::channels::{Parsed, parse};
use super::interpret::{self, Meaning};
use super::poses::Columns;
use crate::body::{check_options, max_pose_bytes};
use crate::text::word_is;
use crate::{Findings, Format, Marks, Read, ReadError, ReadOptions};

/// Whether the bytes start like a BVH file, byte order marks and UTF-16 allowed for.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    let start: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|b| !matches!(b, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff))
        .skip_while(u8::is_ascii_whitespace)
        .take(16)
        .collect();
    word_is(&start, b"HIERARCHY") || word_is(&start, b"ROOT")
}

/// Reads a BVH file.
///
/// # Errors
/// When there is no tree of joints, the table is not numbers, or `options` give an impossible unit.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Read, ReadError> {
    check_options(options)?;
    let mut findings = Findings::default();
    let parsed = parse(bytes, &mut findings)?;
    check_size(&parsed, bytes.len())?;
    let columns = Columns::new(parsed.joints.len(), &parsed.columns);
    let Meaning { skeleton, means, unit_name, height_metres } =
        interpret::interpret(&parsed, &columns, options, &mut findings);
    let rotations = columns.rotations(&parsed.values, means.up);
    let (root, translations) = if parsed.num_frames() == 0 {
        (ugoki_base::clip::VectorTrack::default(), Vec::new())
    } else {
        columns.paths(&parsed.values, &skeleton, means)
    };
    let mut clip = match Clip::from_tracks(skeleton, parsed.fps, root, rotations, translations) {
        Ok(clip) => clip,
        // `rate::choose` gives positive finite rates only.
        Err(error) => unreachable!("{error}"),
    };
    channel_findings::report(&mut clip, &parsed, height_metres, means, &mut findings);
    let Parsed { columns: channels, values, frame_time, gaps, .. } = parsed;
    let source = Source {
        channels,
        values,
        frame_time,
        unit_metres: means.unit_metres,
        up: means.up,
        offset: means.offset,
    };
    clip.set_source(Some(Arc::new(source)));
    Ok(Read {
        clip,
        format: Format::Bvh,
        findings: findings.finish(),
        unit_metres: means.unit_metres,
        unit_name,
        height_metres,
        up: means.up,
        frame_time,
        takes: Vec::new(),
        markers: None,
        marks: Marks { gaps, ..Marks::default() },
    })
}

/// Joints without channels cost nothing in the file but a quaternion per frame in memory.
fn check_size(parsed: &Parsed, file_bytes: usize) -> Result<(), ReadError> {
    let (joints, frames) = (parsed.joints.len(), parsed.num_frames());
    let need = joints.saturating_mul(frames).saturating_mul(4 * size_of::<f32>());
    let max = max_pose_bytes(file_bytes);
    if need > max {
        let (megabytes, max_megabytes) = (need >> 20, max >> 20);
        return Err(ReadError::TooLarge { joints, frames, megabytes, max_megabytes });
    }
    Ok(())
}
