//! What joining did.

use serde::Serialize;
use ugoki_feet::contact::ContactCoverage;

use super::{Seam, SeamStep, SourceBody, Spliced, SplicedClip};

/// What joining clips did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpliceReport {
    /// Frames of the result.
    pub frames: usize,
    /// Its length, seconds.
    pub seconds: f64,
    /// Names of motions that were moved onto the first one's skeleton before.
    pub retargeted: Vec<String>,
    /// What became of every motion.
    pub clips: Vec<SplicedClip>,
    /// Every seam.
    pub seams: Vec<Seam>,
    /// What changes from frame to frame in the motions themselves: 99 % of their steps stay under it.
    pub ordinary: SeamStep,
    /// 99th percentiles of what bodies do in the motions, to compare with the seams' own.
    pub sources: SourceBody,
    /// Seconds that were inserted from a database.
    pub inserted_s: f64,
    /// Largest shift of the hips for feet that stand, millimetres.
    pub hips_mm: f64,
    /// Contacts that were not kept because the foot slides on purpose.
    pub slides: usize,
    /// Frames in which hips jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the motions ever do, as they were captured, the result asks of the legs: of knees' speed or of room
    /// between them.
    pub strain: f64,
    /// How the contacts that are held compare with those that are found in the result.
    pub held: Option<ContactCoverage>,
}

impl Spliced {
    /// The report on this result; `retargeted` are names of clips that were moved onto the first one's skeleton before.
    #[must_use]
    pub fn report(&self, retargeted: Vec<String>) -> SpliceReport {
        let held = self.contacts.as_ref();
        SpliceReport {
            frames: self.clip.num_frames(),
            seconds: self.clip.seconds(),
            retargeted,
            clips: self.clips.clone(),
            seams: self.seams.clone(),
            ordinary: self.ordinary,
            sources: self.sources,
            // An empty sum of floats is −0.
            inserted_s: self
                .clips
                .iter()
                .filter_map(|clip| clip.inserted)
                .fold(0.0, |sum, [from, to]| sum + to - from),
            hips_mm: 1e3 * self.hips_m,
            slides: self.slides,
            mended: self.mended,
            strain: self.strain,
            held: held.and_then(|contacts| ContactCoverage::measure(&self.clip, &contacts.feet)),
        }
    }
}

impl SplicedClip {
    /// Where it begins and what was changed, in a few words.
    #[must_use]
    pub fn note(&self) -> String {
        let [x, y, z] = self.shift_m;
        let mut note = format!("from frame {}", self.start);
        if let Some([from, to]) = self.inserted {
            note += &format!(", inserted: {from:.2} to {to:.2} s of it");
        }
        if self.turn_deg != 0.0 || self.shift_m != [0.0; 3] {
            note += &format!(", turned {:.1}°, moved {:.2} m", self.turn_deg, x.hypot(z));
        }
        if y != 0.0 {
            note += &format!(", {:.2} m {}", y.abs(), if y > 0.0 { "up" } else { "down" });
        }
        for (seconds, end) in self.trimmed_s.iter().zip(["start", "end"]).filter(|(s, _)| **s > 0.0) {
            note += &format!(", {seconds:.2} s at its {end} left out");
        }
        if self.resampled {
            note += ", brought to the first one's rate";
        }
        note
    }
}

impl Seam {
    /// The step over the seam compared with an ordinary one, in a few words.
    #[must_use]
    pub fn note(&self, ordinary: &SeamStep) -> String {
        let (s, o) = (&self.after, ordinary);
        format!(
            "seam at {:.2} s: step {:.1} mm (ordinary {:.1}), velocity changes by {:.0} mm/s ({:.0}), joints turn {:.1}° ({:.1})",
            self.at_s,
            s.position_mm,
            o.position_mm,
            s.velocity_mm_s,
            o.velocity_mm_s,
            s.rotation_deg,
            o.rotation_deg
        )
    }

    /// What the seam demands of the body, compared with the sources' own 99th percentiles, in a few words.
    #[must_use]
    pub fn body_note(&self, sources: &SourceBody) -> String {
        let body = &self.body;
        let floor = body.floor_step_mm.map_or(String::new(), |step| format!(", floor steps by {step:.0} mm"));
        format!(
            "body: hips accelerate by {:.1} m/s² (sources {:.1}), joints turn at {:.0}°/s ({:.0}), feet slide {:.0} mm ({:.0}){floor}",
            body.hips_m_s2,
            sources.hips_m_s2,
            body.joint_speed_deg_s,
            sources.joint_speed_deg_s,
            body.slide_mm,
            sources.slide_mm
        )
    }
}
