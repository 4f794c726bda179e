//! What composing found, as `candidates.json`, as text and as a page.

use std::fmt::{self, Write as _};

use serde::Serialize;
use ugoki::compose::{
    Apart, Composition, Performance, PerformanceClip, Rendered, SearchSummary, Timeline, moved_keys,
};
use ugoki::picture::{ClipLane, LaneClip, PerformancePage, ShownPerformance, sequences_svg};

use super::Compose;
use crate::outcome::Outcome;
use crate::verb::Stream;
use crate::words::plural;

/// The page, in the output's folder.
pub(super) const PAGE: &str = "index.html";

/// The chart of all performances and its table, in the output's folder.
pub(super) const CHART: &str = "candidates.svg";
pub(super) const TABLE: &str = "candidates.csv";

/// A performance and its file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateReport {
    /// Its motion file, in the output's folder.
    pub file: String,
    /// What it is made of.
    #[serde(flatten)]
    pub made: Performance,
}

/// Performances, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The database as named.
    pub database: String,
    /// The timeline as named.
    pub timeline: String,
    /// The performances.
    pub candidates: Vec<CandidateReport>,
    /// Mean edit distance between them, as a ratio of their length.
    pub diversity: f64,
    /// How far they are apart to the eye; absent for fewer than two.
    pub apart: Option<Apart>,
    /// The searches.
    pub stretches: Vec<SearchSummary>,
    /// What the user should know; no part of the text.
    pub notes: Vec<String>,
    /// The page, in the output's folder.
    pub page: Option<String>,
}

impl Report {
    pub(super) fn new(
        request: &Compose,
        timeline: &Timeline,
        composition: &Composition,
        apart: Option<Apart>,
        candidates: Vec<CandidateReport>,
    ) -> Self {
        Self {
            database: request.database.clone(),
            timeline: request.timeline.clone(),
            candidates,
            diversity: composition.diversity,
            apart,
            stretches: composition.intervals.iter().map(SearchSummary::from).collect(),
            notes: composition.notes.iter().cloned().chain(moved_keys(timeline)).collect(),
            page: (!request.no_page).then(|| PAGE.to_owned()),
        }
    }

    /// The chart of all performances: a row for each layer, key motions white.
    pub(super) fn chart(&self) -> String {
        let performances: Vec<(String, Vec<ClipLane<'_>>)> = (self.candidates.iter().enumerate())
            .map(|(number, candidate)| ((number + 1).to_string(), lanes(candidate)))
            .collect();
        let seconds = self.candidates.iter().map(|candidate| candidate.made.seconds).fold(0.0, f64::max);
        sequences_svg(&performances, seconds)
    }

    /// The same as a table.
    pub(super) fn table(&self) -> String {
        let mut text = "candidate,layer,clip,start_s,end_s,cost,key\n".to_owned();
        for (number, candidate) in self.candidates.iter().enumerate() {
            for (layer, clips) in &candidate.made.clips {
                for clip in clips {
                    let PerformanceClip { name, start_s, end_s, cost, key, .. } = clip;
                    let [layer, name] = [layer, name].map(|text| quoted(text));
                    // Writing to a text cannot fail.
                    let _ = writeln!(text, "{},{layer},{name},{start_s},{end_s},{cost},{key}", number + 1);
                }
            }
        }
        text
    }

    /// The page with all performances side by side.
    pub(super) fn html(&self, motions: &[Rendered]) -> String {
        let performances = self.candidates.iter().zip(motions).map(|(candidate, motion)| {
            let (clip, file) = (&motion.clip, candidate.file.as_str());
            ShownPerformance { clip, file, marks: marks(&candidate.made), lanes: lanes(candidate) }
        });
        let page = PerformancePage {
            title: &self.timeline,
            source: &self.database,
            diversity: self.diversity,
            notes: &self.notes,
            performances: performances.collect(),
        };
        page.html()
    }
}

/// The clips of each layer of a performance.
fn lanes(candidate: &CandidateReport) -> Vec<ClipLane<'_>> {
    let lanes = candidate.made.clips.iter().map(|(name, clips)| ClipLane {
        name,
        clips: (clips.iter())
            .map(|clip| LaneClip {
                name: &clip.name,
                start_s: clip.start_s,
                end_s: clip.end_s,
                speed: clip.speed,
                held_s: clip.held_s,
                cost: clip.cost,
                key: clip.key,
            })
            .collect(),
    });
    lanes.collect()
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The numbers of a performance in one line of the page.
fn marks(made: &Performance) -> String {
    let Performance { f, f1, f2, f3, tempo_change, .. } = made;
    let mut text = format!(
        "F {f:.3} · time {f1:.4} s² · transitions {f2:.4} · torso {f3:.4} rad² · speeds within {:.1} %",
        100.0 * tempo_change
    );
    for (name, value) in &made.extras {
        let _ = write!(text, " · {name} {value:.3}");
    }
    text
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;

    fn outcome(&self) -> Outcome {
        if self.candidates.is_empty() { Outcome::NothingFound } else { Outcome::Done }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.candidates.len();
        let seconds = self.candidates.first().map_or(0.0, |candidate| candidate.made.seconds);
        write!(f, "{count} {} of {seconds:.2} s", plural(count, "performance"))?;
        if count > 1 {
            write!(f, "; they differ in {:.0} % of their clips", 100.0 * self.diversity)?;
        }
        if let Some(Apart { median_m, min_m }) = self.apart {
            let [median, min] = [median_m, min_m].map(|metres| 100.0 * metres);
            write!(f, "; joints are {median:.0} cm apart in the median pair, {min:.0} cm in the nearest")?;
        }
        for candidate in &self.candidates {
            write!(
                f,
                "\n  {}  F {:.3} (time {:.4} s², transitions {:.4}, torso {:.4} rad²), speeds within {:.1} %",
                candidate.file,
                candidate.made.f,
                candidate.made.f1,
                candidate.made.f2,
                candidate.made.f3,
                100.0 * candidate.made.tempo_change
            )?;
            for (layer, names) in &candidate.made.layers {
                write!(f, "\n    {layer}: {}", names.join(" "))?;
            }
        }
        Ok(())
    }
}
