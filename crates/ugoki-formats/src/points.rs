//! Marker files as markers: the common part of C3D and TRC, and the conversion from markers to a clip.

use glam::{DVec3, Vec3};
use ugoki_base::clip::UpAxis;
use ugoki_base::markers::{
    GroupResidual, LabelMap, Markers, SolveConfig, Solved, resolve, solve, up_direction,
};
use ugoki_base::math::{median, quantile};
use ugoki_base::no_progress;
use ugoki_base::skeleton::body_height;

use super::detect::detect;
use super::error::excerpt;
use super::{
    Finding, Findings, Format, Marks, Read, ReadError, ReadOptions, Severity, WriteError, WriteOptions,
    Written, c3d, counted, npz, trc,
};

/// A marker file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadMarkers {
    /// The points in metres, Y up.
    pub markers: Markers,
    /// What the file is.
    pub format: Format,
    /// What was odd, in the order of lines.
    pub findings: Vec<Finding>,
    /// Metres per unit of length in the file, stated, guessed or given.
    pub unit_metres: f64,
    /// The unit in words: `mm`.
    pub unit_name: String,
    /// Which way is up in the file.
    pub up: UpAxis,
    /// Seconds per frame.
    pub frame_time: f64,
}

impl ReadMarkers {
    /// How much there is, as a finding.
    #[must_use]
    pub fn summary(&self) -> Finding {
        let markers = &self.markers;
        let (count, frames, fps) = (markers.labels().len(), markers.num_frames(), markers.fps());
        let message = format!("{count} markers in {frames} frames at {fps} per second");
        Finding { line: None, severity: Severity::Info, code: "markers", message, assumed: None }
    }
}

/// Points as a file has them, before unit and axes are settled.
pub(super) struct Raw {
    pub format: Format,
    pub labels: Vec<String>,
    pub fps: f64,
    /// Per label all frames, file units and axes; not a number where it was not seen.
    pub tracks: Vec<Vec<DVec3>>,
    /// Metres per unit and the unit's name, where the file says it.
    pub unit: Option<(f64, &'static str)>,
    /// Which way is up, where the file says it.
    pub up: Option<UpAxis>,
    /// What files of this format mostly do.
    pub usual_up: UpAxis,
}

/// Units by the names files use, metres.
const UNITS: [(&str, f64, &str); 14] = [
    ("mm", 0.001, "mm"),
    ("millimeter", 0.001, "mm"),
    ("millimeters", 0.001, "mm"),
    ("millimetres", 0.001, "mm"),
    ("cm", 0.01, "cm"),
    ("centimeters", 0.01, "cm"),
    ("m", 1.0, "m"),
    ("meter", 1.0, "m"),
    ("meters", 1.0, "m"),
    ("metres", 1.0, "m"),
    ("in", 0.0254, "inch"),
    ("inch", 0.0254, "inch"),
    ("inches", 0.0254, "inch"),
    ("ft", 0.3048, "foot"),
];

/// Metres per unit of this name, and the name we use for it.
pub(super) fn unit_of_name(name: &str) -> Option<(f64, &'static str)> {
    let name = name.trim().to_ascii_lowercase();
    UNITS.iter().find(|(known, ..)| *known == name).map(|(_, metres, name)| (*metres, *name))
}

/// Height of a cloud of body markers that the guess of a unit pulls to, metres: a standing adult's.
const CLOUD_M: f64 = 1.6;

/// Cosine above which a direction is an axis's.
const ALONG: f32 = 0.8;

/// Frames looked at to guess unit and up axis.
const NUM_SAMPLES: usize = 64;

impl Raw {
    /// Settles unit and axes, and makes the markers.
    pub(super) fn finish(
        self,
        options: &ReadOptions,
        mut findings: Findings,
    ) -> Result<ReadMarkers, ReadError> {
        if let Some(found) = options.unit_metres
            && !(found.is_finite() && found > 0.0)
        {
            return Err(ReadError::Unit { found });
        }
        let (unit_metres, unit_name) = self.choose_unit(options.unit_metres, &mut findings);
        let as_written = self.markers(unit_metres, UpAxis::Y)?;
        let up = self.choose_up(options, &as_written, &mut findings);
        let markers = if up == UpAxis::Y { as_written } else { self.markers(unit_metres, up)? };
        report_gaps(&markers, &mut findings);
        Ok(ReadMarkers {
            markers,
            format: self.format,
            findings: findings.finish(),
            unit_metres,
            unit_name,
            up,
            frame_time: 1.0 / self.fps,
        })
    }

    fn markers(&self, unit_metres: f64, up: UpAxis) -> Result<Markers, ReadError> {
        let place = |p: &DVec3| {
            let p = *p * unit_metres;
            let p = match up {
                UpAxis::Y => p,
                UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
            };
            // Numbers beyond single precision are no positions.
            let p = p.as_vec3();
            if p.is_finite() { p } else { Vec3::NAN }
        };
        let points = self.tracks.iter().flatten().map(place).collect();
        Markers::new(self.labels.clone(), self.fps, points).map_err(|error| ReadError::Malformed {
            line: None,
            message: error.to_string(),
            hint: "export the file again",
        })
    }

    fn choose_unit(&self, given: Option<f64>, findings: &mut Findings) -> (f64, String) {
        let name = |unit: f64| {
            let known = UNITS.iter().find(|(_, metres, _)| (metres / unit - 1.0).abs() < 1e-6);
            known.map_or_else(|| format!("unit of {unit} m"), |(.., name)| (*name).to_owned())
        };
        if let Some(unit) = given {
            return (unit, name(unit));
        }
        if let Some((unit, name)) = self.unit {
            return (unit, name.to_owned());
        }
        let sizes: Vec<f64> = self.samples().filter_map(|frame| self.extent(frame)).collect();
        let size = median(&sizes).filter(|size| *size > 0.0);
        let off =
            |unit: f64| size.map_or(f64::from(unit != 0.001), |size| (size * unit / CLOUD_M).ln().abs());
        let unit = [0.001, 0.01, 1.0].into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(0.001);
        let message = match size {
            Some(size) => format!("the file does not say its unit; its points are {size:.4} units across"),
            None => "the file does not say its unit".to_owned(),
        };
        findings.note(Severity::Warning, None, "unit-guess", message, format!("1 unit is 1 {}", name(unit)));
        (unit, name(unit))
    }

    fn samples(&self) -> impl Iterator<Item = usize> + use<> {
        let frames = self.tracks.first().map_or(0, Vec::len);
        let step = frames.div_ceil(NUM_SAMPLES).max(1);
        (0..frames).step_by(step)
    }

    /// Longest side of the box around the points of one frame, its outermost tenth left out.
    fn extent(&self, frame: usize) -> Option<f64> {
        let side = |axis: usize| {
            let along: Vec<f64> = self.tracks.iter().map(|track| track[frame][axis]).collect();
            Some(quantile(&along, 0.98)? - quantile(&along, 0.02)?)
        };
        [side(0)?, side(1)?, side(2)?].into_iter().reduce(f64::max)
    }

    fn choose_up(&self, options: &ReadOptions, as_written: &Markers, findings: &mut Findings) -> UpAxis {
        let body = resolve(as_written.labels(), options.labels.as_ref())
            .ok()
            .and_then(|found| up_direction(as_written, &found));
        let standing = body.and_then(|up| match up {
            up if up.y > ALONG => Some(UpAxis::Y),
            up if up.z > ALONG => Some(UpAxis::Z),
            _ => None,
        });
        let name = |up: UpAxis| if up == UpAxis::Y { "Y" } else { "Z" };
        let up = options.up.or(self.up).or(standing).unwrap_or(self.usual_up);
        if options.up.is_none() {
            match (self.up, standing) {
                (Some(stated), Some(standing)) if stated != standing => {
                    let message = format!(
                        "the file says that {} is up, but the body stands along {}",
                        name(stated),
                        name(standing)
                    );
                    let assumed = format!("{} is up; give the up axis if it is {}", name(up), name(standing));
                    findings.note(Severity::Warning, None, "up-disagrees", message, assumed);
                }
                (None, Some(_)) => {
                    findings.info(None, "up-by-body", format!("the body stands along {}", name(up)));
                }
                (None, None) => {
                    let message = "the file does not say which way is up, and no body in it shows it";
                    findings.note(
                        Severity::Warning,
                        None,
                        "up-unknown",
                        message,
                        format!("{} is up", name(up)),
                    );
                }
                _ => {}
            }
        }
        if up == UpAxis::Z {
            findings.note(Severity::Info, None, "up-z", "Z is up", "turned so that Y is up");
        }
        up
    }
}

/// Says how much is missing.
fn report_gaps(markers: &Markers, findings: &mut Findings) {
    let frames = markers.num_frames();
    let missing = |marker: usize| markers.gaps(marker).iter().map(ExactSizeIterator::len).sum::<usize>();
    let counts: Vec<usize> = (0..markers.labels().len()).map(missing).collect();
    let never = counts.iter().filter(|&&n| n == frames && frames > 0).count();
    let some = counts.iter().filter(|&&n| n > 0 && n < frames).count();
    if never > 0 {
        findings.info(None, "never-seen", counted(never, "marker was never seen", "markers were never seen"));
    }
    if some > 0 {
        let total: usize = counts.iter().filter(|&&n| n < frames).sum();
        let fraction = 100.0 * total as f64 / (frames * counts.len()).max(1) as f64;
        let message = format!(
            "{} in {fraction:.1} % of all positions",
            counted(some, "marker has gaps", "markers have gaps")
        );
        findings.info(None, "gaps", message);
    }
}

/// Reads a marker file without solving it; what the bytes are is found by content, then by extension.
///
/// # Errors
/// When it is no marker file or nothing in it can be used.
pub fn read_markers(
    bytes: &[u8],
    extension: Option<&str>,
    options: &ReadOptions,
) -> Result<ReadMarkers, ReadError> {
    match detect(bytes, extension) {
        Some(Format::C3d) => c3d::read_markers(bytes, options),
        Some(Format::Trc) => trc::read_markers(bytes, options),
        Some(Format::Npz) if npz::is_joints(bytes) => npz::read_markers(bytes, options),
        Some(format) => Err(ReadError::Malformed {
            line: None,
            message: format!("{} files hold a skeleton's motion, not markers", format.name()),
            hint: "read it as a motion",
        }),
        None if bytes.iter().all(u8::is_ascii_whitespace) => Err(ReadError::Empty),
        None => Err(ReadError::UnknownFormat { found: excerpt(bytes) }),
    }
}

/// Writes markers as a marker file: TRC.
///
/// # Errors
/// When the format does not hold markers or is not written.
pub fn write_markers(
    markers: &Markers,
    format: Format,
    options: &WriteOptions,
) -> Result<Written, WriteError> {
    match format {
        Format::Trc => Ok(trc::write_markers(markers, options)),
        format if format.is_written() => Err(WriteError::Unfit {
            message: format!("{} files hold a skeleton's motion, not markers", format.name()),
            hint: "read the markers as a motion and write that",
        }),
        format => Err(WriteError::ReadOnly { format }),
    }
}

/// Residual of a marker group, metres, beyond which the body fits its markers badly: twice what soft tissue moves.
const BAD_FIT_M: f64 = 0.03;

/// The motion that a file's markers show.
pub(super) fn solve_read(read: ReadMarkers, options: &ReadOptions) -> Result<Read, ReadError> {
    let (solved, takes) = solve_markers(&read.markers, options.labels.as_ref(), options.take.as_deref())?;
    let ReadMarkers { markers, format, findings, unit_metres, unit_name, up, frame_time } = read;
    let findings = report_solution(&solved, findings);
    let height_metres = body_height(solved.clip.skeleton()).map(f64::from);
    Ok(Read {
        clip: solved.clip,
        format,
        findings,
        unit_metres,
        unit_name,
        height_metres,
        up,
        frame_time,
        takes,
        markers: Some(markers),
        marks: Marks::default(),
    })
}

fn solve_markers(
    markers: &Markers,
    labels: Option<&LabelMap>,
    subject: Option<&str>,
) -> Result<(Solved, Vec<String>), ReadError> {
    let refuse = |message: String| ReadError::Markers { message };
    let mut found = resolve(markers.labels(), labels).map_err(|error| refuse(error.to_string()))?;
    let subjects = found.subjects.clone();
    if let Some(wanted) = subject {
        let by_number = wanted.parse().ok().and_then(|n: usize| subjects.get(n).cloned());
        let name = by_number.or_else(|| subjects.iter().find(|name| *name == wanted).cloned());
        let Some(name) = name else {
            return Err(ReadError::Take { wanted: wanted.to_owned(), known: subjects.join(", ") });
        };
        found = ugoki_base::markers::resolve_subject(markers.labels(), labels, Some(&name))
            .map_err(|error| refuse(error.to_string()))?;
    }
    let solved = solve(markers, &found, &SolveConfig::default(), &mut no_progress())
        .map_err(|error| refuse(error.to_string()))?;
    Ok((solved, if subjects.len() > 1 { subjects } else { Vec::new() }))
}

fn report_solution(solved: &Solved, mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut more = Findings::default();
    let message = format!("{} taken as {}", counted(solved.used.len(), "marker", "markers"), solved.set);
    more.info(None, "marker-set", message);
    if !solved.ignored.is_empty() {
        let message = format!(
            "{} not used: {}",
            counted(solved.ignored.len(), "marker is", "markers are"),
            list(&solved.ignored)
        );
        more.info(None, "markers-ignored", message);
    }
    if !solved.guessed.is_empty() {
        let assumed = "usual ratios to the body's size; a label map may give them";
        more.note(
            Severity::Info,
            None,
            "body-guess",
            format!("not measured: {}", solved.guessed.join(", ")),
            assumed,
        );
    }
    if solved.filled_rigid + solved.filled_short > 0 {
        let message = format!(
            "{} of gaps filled from neighbouring markers, {} between neighbouring frames",
            counted(solved.filled_rigid, "position", "positions"),
            solved.filled_short
        );
        more.info(None, "gaps-filled", message);
    }
    if !solved.held.is_empty() {
        let list: Vec<String> = solved.held.iter().map(|(role, frames)| format!("{role} {frames}")).collect();
        let message = format!("frames in which no markers show a joint: {}", list.join(", "));
        more.note(
            Severity::Warning,
            None,
            "joint-held",
            message,
            "held, or carried over between the frames around",
        );
    }
    let show = |group: &GroupResidual| {
        format!("{} {:.0} (most {:.0})", group.role, 1e3 * group.rms_m, 1e3 * group.max_m)
    };
    let (bad, good): (Vec<_>, Vec<_>) = solved.groups.iter().partition(|group| group.rms_m > BAD_FIT_M);
    let join =
        |groups: &[&GroupResidual]| groups.iter().map(|group| show(group)).collect::<Vec<_>>().join(", ");
    if !good.is_empty() {
        more.info(
            None,
            "residual",
            format!("mm between markers and body, root mean square: {}", join(&good)),
        );
    }
    if !bad.is_empty() {
        let message = format!("mm between markers and body, root mean square: {}", join(&bad));
        more.note(Severity::Warning, None, "residual-large", message, "kept; labels may be swapped");
    }
    findings.extend(more.finish());
    findings.sort_by_key(|finding| finding.line.unwrap_or(u32::MAX));
    findings
}

/// At most a dozen names, for messages.
fn list(names: &[String]) -> String {
    let mut text = names.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > 12 {
        text.push_str(&format!(" and {} more", names.len() - 12));
    }
    text
}
