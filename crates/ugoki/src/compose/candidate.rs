//! Candidates: walks with their times, and how different they are.

use serde::Serialize;

use super::score::Search;
use super::shown::{Run, distance, runs};
use super::strand::{Gene, Marks};

/// One clip of a sequence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// The node.
    pub node: usize,
    /// When it begins, seconds of the timeline, keys on their times.
    pub start_s: f64,
    /// When the next begins, or it ends.
    pub end_s: f64,
    /// Where in the clip it is entered, seconds.
    pub enter_s: f64,
    /// Where in the clip it is left, seconds.
    pub leave_s: f64,
    /// How long the whole clip lasts as captured, seconds.
    pub whole_s: f64,
    /// How fast it plays: 1.02 is 2 % faster than captured.
    pub speed: f64,
    /// Cost of the transition into it; 0 for the first.
    pub cost: f32,
    /// The key of the timeline that it is.
    pub key: Option<usize>,
    /// The frames that the node is.
    pub shows: Run,
}

/// One layer's clips in order; splicing them makes the motion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sequence {
    /// The layer's name.
    pub layer: String,
    /// The clips.
    pub items: Vec<Item>,
}

/// Where a key stands and where it would without stretching.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyTime {
    /// Which key of the timeline.
    pub key: usize,
    /// The layer's name.
    pub layer: String,
    /// The node that stands there.
    pub node: usize,
    /// When it was wanted, on the beat, seconds.
    pub wanted_s: f64,
    /// When the clips before it end as captured, seconds; the difference is stretched away.
    pub unstretched_s: f64,
}

/// A way to fill a stretch, or the whole timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// F = α·f1 + β·f2 + δ·f3 + criteria; of a whole timeline the mean over its stretches.
    pub f: f64,
    /// Squared time error, s², mean over layers.
    pub f1: f64,
    /// Mean cost of transitions, mean over layers.
    pub f2: f64,
    /// Mean squared difference of the torsos, rad², every frame looked at.
    pub f3: f64,
    /// The users' criteria in order, unweighted.
    pub extras: Vec<f64>,
    /// Largest change of speed, as a share: 0.05 is 5 %.
    pub stretch: f64,
    /// One per layer.
    pub layers: Vec<Sequence>,
    /// Every key on every layer.
    pub keys: Vec<KeyTime>,
}

/// Mean edit distance of all pairs of candidates by what they show, mean over layers; 0 for fewer than two. Pieces of a clip in their order count as
/// one run of it, other frames of the same clip as half a difference.
#[must_use]
pub fn diversity(candidates: &[Candidate]) -> f64 {
    let shows: Vec<Vec<Vec<Run>>> = candidates.iter().map(Candidate::shows).collect();
    let (mut sum, mut count) = (0.0, 0_usize);
    for (i, a) in shows.iter().enumerate() {
        for b in &shows[..i] {
            sum += distance(a, b);
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

impl Candidate {
    /// Edit distance from another candidate by what both show, a share of their length, mean over layers.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        distance(&self.shows(), &other.shows())
    }

    /// What every layer shows.
    #[must_use]
    pub fn shows(&self) -> Vec<Vec<Run>> {
        self.layers.iter().map(|layer| runs(layer.items.iter().map(|item| item.shows))).collect()
    }

    /// How often a clip is shown again straight after itself, over all layers.
    #[must_use]
    pub fn repeats(&self) -> usize {
        let repeats = |pair: &[Item]| pair[0].shows.is_repeated_by(pair[1].shows);
        self.layers.iter().flat_map(|layer| layer.items.windows(2)).filter(|pair| repeats(pair)).count()
    }

    /// The nodes of every layer.
    #[must_use]
    pub fn walks(&self) -> Vec<Vec<u32>> {
        self.layers.iter().map(|layer| layer.items.iter().map(|item| item.node as u32).collect()).collect()
    }

    /// A chromosome with its times: each leg plays a little faster or slower, so that keys fall on their times.
    pub(super) fn new(search: &Search<'_>, strands: &[&[Gene]], marks: Marks) -> Self {
        let names = search.library.layers.layers();
        let mut keys = Vec::new();
        let mut stretch: f64 = 0.0;
        let mut layers = Vec::new();
        for (layer, strand) in strands.iter().enumerate() {
            stretch = stretch.max(search.off_time(layer, strand));
            let name = names[layer].name.clone();
            let items = items(search, layer, strand, &name, &mut keys);
            layers.push(Sequence { layer: name, items });
        }
        let extras = search.extras(strands);
        Self { f: marks.f, f1: marks.f1, f2: marks.f2, f3: marks.f3, extras, stretch, layers, keys }
    }
}

fn items(
    search: &Search<'_>,
    layer: usize,
    strand: &[Gene],
    name: &str,
    keys: &mut Vec<KeyTime>,
) -> Vec<Item> {
    let track = &search.stretch.tracks[layer];
    let table = &search.tables[layer];
    let times = search.leg_times(layer, strand);
    let start = search.stretch.start_s + f64::from(table.first_s);
    // Captured seconds per second of the timeline.
    let speed = |leg: usize| match (times.get(leg), track.legs_s.get(leg)) {
        (Some(&time), Some(&want)) if time > 0.0 && want > 0.0 => time / want,
        _ => 1.0,
    };
    let mut items: Vec<Item> = Vec::with_capacity(strand.len());
    // Start of the clip as a whole, before it is entered.
    let (mut at, mut unstretched) = (start, start);
    for (i, gene) in strand.iter().enumerate() {
        let before = i.checked_sub(1).map(|b| strand[b]);
        at += f64::from(gene.advance) / speed(before.map_or(0, |b| b.leg as usize));
        unstretched += f64::from(gene.advance);
        let anchor = match before {
            None => track.anchors.first().filter(|_| track.first_is_anchor()),
            Some(before) if before.leg != gene.leg => track.anchor_after(before.leg as usize),
            Some(_) => None,
        };
        if let Some(anchor) = anchor {
            at = anchor.at_s;
            keys.push(KeyTime {
                key: anchor.key,
                layer: name.to_owned(),
                node: gene.node as usize,
                wanted_s: anchor.at_s,
                unstretched_s: unstretched,
            });
            unstretched = at;
        }
        let edge = before.and_then(|b| table.network.edge(b.node as usize, gene.node as usize));
        let enter_s = edge.map_or(0.0, |edge| f64::from(edge.entry_s));
        let seconds = search.library.nodes[gene.node as usize].seconds;
        let speed = speed(gene.leg as usize);
        let start_s = at + enter_s / speed;
        if let (Some(last), Some(edge)) = (items.last_mut(), edge) {
            last.leave_s -= f64::from(edge.exit_s);
            last.end_s = start_s;
        }
        items.push(Item {
            node: gene.node as usize,
            start_s,
            end_s: at + seconds / speed,
            enter_s,
            leave_s: seconds,
            whole_s: seconds,
            speed,
            cost: gene.cost,
            key: anchor.map(|anchor| anchor.key),
            shows: search.library.run(gene.node),
        });
    }
    items
}
