//! `blend`: mixes motions.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error, Reading, Time, reading_arguments};
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::signal::{
    BlendConfig, BlendError, BlendReport, SlideReason, TimeAlign, WeightCurve, WeightError, WeightKey, blend,
};

/// Ask for a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The motion files; skeleton and rate are the first one's.
    pub inputs: Vec<String>,
    /// The file to write; `-` is standard output.
    pub output: String,
    /// One weight per motion; equal when absent.
    #[serde(default)]
    pub weights: Option<Weights>,
    /// Whether moments are matched first.
    #[serde(default)]
    pub align: TimeAlign,
    /// Whether motions of another rate or skeleton are refused.
    #[serde(default)]
    pub strict: bool,
    /// How to read them.
    #[serde(default)]
    pub reading: Reading,
}

/// Weights as users write them: `1,2` or, over time, `0:1/2:0,0:0/2:1`; times are seconds, or frames as in `50f`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weights(pub Vec<Vec<WeightAt>>);

/// A weight at a moment of the result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightAt {
    /// When.
    pub at: Time,
    /// The weight there.
    pub weight: f64,
}

impl Weights {
    /// The same weight for each of so many motions.
    #[must_use]
    pub fn equal(motions: usize) -> Self {
        Self(vec![vec![WeightAt { at: Time::Seconds(0.0), weight: 1.0 }]; motions])
    }

    /// Curves over seconds of a result of so many frames per second.
    ///
    /// # Errors
    /// When moments do not grow or numbers are not finite.
    pub fn curves(&self, fps: f64) -> Result<Vec<WeightCurve>, WeightError> {
        let seconds = |at: Time| match at {
            Time::Seconds(seconds) => seconds,
            Time::Frames(frames) => frames as f64 / fps,
        };
        let key = |key: &WeightAt| WeightKey { time_s: seconds(key.at), weight: key.weight };
        self.0.iter().map(|keys| WeightCurve::through(keys.iter().map(key).collect())).collect()
    }
}

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |word: &str| {
            format!(
                "{word:?} is not a weight; give finite numbers such as 1,2 or keys over time such as 0:1/2:0,0:0/2:1"
            )
        };
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let key = |word: &str| {
            let (time, weight) = word.split_once(':').unwrap_or(("0", word));
            let at = match number(time) {
                Some(seconds) => Time::Seconds(seconds),
                None => time.trim().parse().map_err(|_| wrong(time))?,
            };
            Ok(WeightAt { at, weight: number(weight).ok_or_else(|| wrong(weight))? })
        };
        let curve = |word: &str| word.split('/').map(key).collect::<Result<Vec<_>, String>>();
        let weights = Self(text.split(',').map(curve).collect::<Result<_, _>>()?);
        // Only times of one kind can be compared before the rate is known.
        for keys in &weights.0 {
            let frames = keys.iter().filter(|key| matches!(key.at, Time::Frames(_))).count();
            if frames == 0 || frames == keys.len() {
                Self(vec![keys.clone()]).curves(1.0).map_err(|error| error.to_string())?;
            }
        }
        Ok(weights)
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curve = |keys: &Vec<WeightAt>| match keys.as_slice() {
            [WeightAt { at: Time::Seconds(0.0), weight }] => weight.to_string(),
            keys => {
                let keys: Vec<String> = keys.iter().map(|key| format!("{}:{}", key.at, key.weight)).collect();
                keys.join("/")
            }
        };
        f.write_str(&self.0.iter().map(curve).collect::<Vec<_>>().join(","))
    }
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let align = (self.align == TimeAlign::None).then_some("none");
        let arguments = reading_arguments(&self.reading, Arguments::new("blend"))
            .option("output", Some(&self.output))
            .option("weights", self.weights.as_ref())
            .option("align", align)
            .flag("strict", self.strict);
        self.inputs.iter().fold(arguments, |arguments, input| arguments.file(input)).finish()
    }
}

/// What mixing did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The inputs as named.
    pub inputs: Vec<String>,
    /// The output as named.
    pub output: String,
    /// Names of motions that were moved onto the first one's skeleton.
    pub retargeted: Vec<String>,
    /// Whether a weight is negative, so that the result goes beyond the motions.
    pub extrapolates: bool,
    /// Frames, alignment of each clip, feet kept still.
    #[serde(flatten)]
    pub blended: BlendReport,
}

/// Mixes the motions with the exact mean: aligned in time and on the ground with planted feet kept, or, without
/// alignment, frame by frame as they are.
///
/// # Errors
/// When skeletons or weights do not fit, or the caller stops.
pub fn run(request: &Request, clips: &[&Clip], progress: Progress<'_>) -> Result<(Clip, Report), Error> {
    if request.strict
        && let [first, others @ ..] = clips
        && let Some(other) = others.iter().find(|clip| (clip.fps() / first.fps() - 1.0).abs() > 1e-9)
    {
        let message = format!(
            "{:?} has {} frames per second, the first {}; leave out --strict to allow that",
            other.name,
            other.fps(),
            first.fps()
        );
        return Err(Error::Option { option: "--strict", message });
    }
    let (moved, retargeted) = on_one_skeleton(clips, request, &mut |share| progress(0.3 * share))?;
    let clips: Vec<&Clip> = moved.iter().map(AsRef::as_ref).collect();
    let weights = request.weights.clone().unwrap_or_else(|| Weights::equal(clips.len()));
    let fps = clips.first().map_or(1.0, |clip| clip.fps());
    let weights = weights
        .curves(fps)
        .map_err(|error| Error::Option { option: "--weights", message: error.to_string() })?;
    // Without alignment it is the plain mean of frame and frame: two motions at half weight are their slerp.
    let base = match request.align {
        TimeAlign::Time => BlendConfig::new(&[]),
        TimeAlign::None => BlendConfig::plain(&[]),
    };
    let config = BlendConfig { weights, ..base };
    let blended = blend(&clips, &config, &mut |share| progress(0.3 + 0.7 * share)).map_err(|error| match error {
        BlendError::Skeleton { name, difference, .. } if request.strict => {
            let message = format!(
                "{name:?} has another skeleton than the first: {difference}; leave out --strict to have it moved onto the first one's"
            );
            Error::Option { option: "--strict", message }
        }
        error => error.into(),
    })?;
    let negative = |curve: &WeightCurve| curve.keys().iter().any(|key| key.weight < 0.0);
    let report = Report {
        inputs: request.inputs.clone(),
        output: request.output.clone(),
        retargeted,
        extrapolates: config.weights.iter().any(negative),
        blended: blended.report,
    };
    Ok((blended.clip, report))
}

/// The clips on the first one's skeleton, and the names of those that had to be moved onto it. Added T-poses, which tell
/// how the bodies stand, go after that if they are to go.
fn on_one_skeleton<'a>(
    clips: &[&'a Clip],
    Request { strict, reading, .. }: &Request,
    progress: Progress<'_>,
) -> Result<(Vec<Cow<'a, Clip>>, Vec<String>), Error> {
    let mut names = Vec::new();
    let mut moved = Vec::new();
    for (index, &clip) in clips.iter().enumerate() {
        let first = clips[0];
        if *strict || **clip.skeleton() == **first.skeleton() {
            moved.push(reading.applied(clip));
            continue;
        }
        names.push(clip.name.clone());
        let share = |part: f32| (index as f32 + part) / clips.len() as f32;
        let onto = super::onto(clip, first, &mut |part| progress(share(part)))?;
        moved.push(Cow::Owned(reading.apply(onto.clip)));
    }
    Ok((moved, names))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.blended.frames;
        let word = if frames == 1 { "frame" } else { "frames" };
        write!(f, "{} → {}: {frames} {word}", self.inputs.join(" + "), self.output)?;
        for clip in &self.blended.clips {
            if !clip.takes_part {
                write!(f, "\n  {:<24} takes no part: its weight is 0", clip.name)?;
                continue;
            }
            write!(f, "\n  {:<24} turned {:.1}°, moved {:.2} m", clip.name, clip.turn_deg, clip.shift_m)?;
            if clip.resampled {
                write!(f, ", brought to the first one's rate")?;
            }
            // Less than half a frame at any usual rate is rounding of the length.
            for (seconds, end) in clip.left_out_s.iter().zip(["start", "end"]).filter(|(s, _)| **s > 0.005) {
                write!(f, ", {seconds:.2} s at the {end} left out")?;
            }
            // Beyond the slopes of time alignment one clip was stretched as a whole.
            if let Some(aligned) = clip.aligned.filter(|a| a.slowest < 0.45 || a.fastest > 2.2) {
                let (slow, fast) = (aligned.slowest, aligned.fastest);
                let (times, way) = if slow < 0.45 { (1.0 / slow, "slower") } else { (fast, "faster") };
                write!(f, ", played {times:.1} times {way} as a whole to fit the first: look at it")?;
            }
        }
        if !self.retargeted.is_empty() {
            write!(f, "\n  on the first one's skeleton: {}", self.retargeted.join(", "))?;
        }
        if self.extrapolates {
            write!(f, "\n  with negative weights the result goes beyond the motions; look at it")?;
        }
        let held = &self.blended.contacts;
        if !held.is_empty() {
            let worst = held.iter().map(|contact| contact.slide_after_m).fold(0.0, f32::max);
            write!(f, "\n  feet stand in {} contacts, sliding at most {:.1} mm", held.len(), 1e3 * worst)?;
            let hips = 1e3 * self.blended.hips_correction_m;
            write!(f, "; hips shifted by up to {hips:.0} mm for that")?;
        }
        for contact in held.iter().filter(|contact| !contact.held) {
            let after = contact.slide_after_m;
            let why = match contact.reason {
                Some(SlideReason::Reach) => "the leg does not reach",
                Some(SlideReason::Captured) => "as in the motion captured",
                Some(SlideReason::Foot) | None => "the foot bends between heel and toe",
            };
            let (joint, start, last) = (&contact.joint, contact.start, contact.end - 1);
            write!(f, "\n  {joint} slides {:.1} mm in frames {start} to {last}: {why}", 1e3 * after)?;
        }
        if self.blended.far_apart > 0 {
            let count = self.blended.far_apart;
            write!(
                f,
                "\n  in {count} joint-frames the motions are more than 120° apart; look at the result there"
            )?;
        }
        Ok(())
    }
}
