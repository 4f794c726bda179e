//! What composing found, as `candidates.json`, as text and as a page.

use std::fmt;

use serde::Serialize;
use ugoki::compose::{Apart, Composition, Performance, Rendered, SearchSummary, Timeline, moved_keys};
use ugoki::picture::{PerformancePage, performances_csv, performances_svg, shown_performance};

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

    /// The chart of all performances, and its table.
    pub(super) fn chart(&self) -> [String; 2] {
        let performances: Vec<&Performance> =
            self.candidates.iter().map(|candidate| &candidate.made).collect();
        [performances_svg(&performances), performances_csv(&performances)]
    }

    /// The page with all performances side by side.
    pub(super) fn html(&self, motions: &[Rendered]) -> String {
        let performances = self
            .candidates
            .iter()
            .zip(motions)
            .map(|(candidate, motion)| shown_performance(&candidate.file, &candidate.made, motion));
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
