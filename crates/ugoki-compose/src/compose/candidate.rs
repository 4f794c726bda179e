//! Candidates: walks with their times, and how different they are.

use serde::Serialize;

use super::Tempo;
use super::chromosome::{Gene, Marks};
use super::score::Search;
use super::shown::{Run, distance, runs};
use crate::network::{EASE_S, eased};

/// One clip of a sequence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// The node.
    pub node: usize,
    /// When it begins, seconds of the timeline, keys on their times and beats.
    pub start_s: f64,
    /// When the next begins, or it ends.
    pub end_s: f64,
    /// Where in the clip it is entered, seconds as captured.
    pub enter_s: f64,
    /// Where in the clip it is left, seconds as captured.
    pub leave_s: f64,
    /// How long the whole clip lasts as captured, seconds.
    pub whole_s: f64,
    /// How fast it plays: 1.02 is 2 % faster than captured, be it for the beat or for a key's time.
    pub speed: f64,
    /// How much later it ends than it would at that speed, seconds: it slows down and waits for the beat.
    pub held_s: f64,
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

/// When a key was wanted, where it stands and where it would without stretching.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyTime {
    /// Which key of the timeline.
    pub key: usize,
    /// The layer's name.
    pub layer: String,
    /// The node that stands there.
    pub node: usize,
    /// Requested time in the timeline, seconds.
    pub wanted_s: f64,
    /// When it starts, on the beat, seconds.
    pub at_s: f64,
    /// When the clips before it end as captured, seconds; the difference is stretched away.
    pub unstretched_s: f64,
}

/// A way to fill an interval, or the whole timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// F = α·f1 + β·f2 + δ·f3 + criteria; of a whole timeline the mean over its intervals.
    pub f: f64,
    /// Squared time error, s², mean over layers.
    pub f1: f64,
    /// Mean cost of transitions, mean over layers.
    pub f2: f64,
    /// Mean squared difference of the torsos, rad², every frame looked at.
    pub f3: f64,
    /// The users' criteria in order, unweighted.
    pub extras: Vec<f64>,
    /// Largest change of speed of any clip, for the beat and for keys' times, as a fraction: 0.05 is 5 %.
    #[serde(rename = "stretch")]
    pub tempo_change: f64,
    /// One per layer.
    pub layers: Vec<Sequence>,
    /// Every key on every layer.
    pub keys: Vec<KeyTime>,
}

/// Mean edit distance of all pairs of candidates by what they show, mean over layers; 0 for fewer than two. Pieces of a
/// clip in their order count as one run of it, other frames of the same clip as half a difference.
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

impl Item {
    /// Where in its clip it is at a time of the timeline, seconds as captured.
    #[must_use]
    pub fn clip_s(&self, at_s: f64) -> f64 {
        let plain = self.enter_s + (at_s - self.start_s) * self.speed;
        eased(plain, self.whole_s, self.held_s.min(EASE_S) * self.speed)
    }
}

impl Candidate {
    /// Whether a clip that is no key stands still to wait for the beat.
    #[must_use]
    pub fn waits(&self) -> bool {
        let mut items = self.layers.iter().flat_map(|layer| &layer.items);
        // A hundredth of a second more: beats that are not all alike are a little longer or shorter.
        items.any(|item| item.key.is_none() && item.held_s > EASE_S + 0.01)
    }

    /// Sets the largest change of speed from what plays.
    pub(super) fn set_tempo_change(&mut self) {
        let items = self.layers.iter().flat_map(|layer| &layer.items);
        self.tempo_change = items.map(|item| (item.speed - 1.0).abs()).fold(0.0, f64::max);
    }

    /// Edit distance from another candidate by what both show, as a fraction of their length, mean over layers.
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
        let mut layers = Vec::new();
        for (layer, strand) in strands.iter().enumerate() {
            let name = names[layer].name.clone();
            let items = items(search, layer, strand, &name, &mut keys);
            layers.push(Sequence { layer: name, items });
        }
        let extras = search.extras(strands);
        let mut made = Self {
            f: marks.f,
            f1: marks.f1,
            f2: marks.f2,
            f3: marks.f3,
            extras,
            tempo_change: 0.0,
            layers,
            keys,
        };
        made.set_tempo_change();
        made
    }
}

fn items(
    search: &Search<'_>,
    layer: usize,
    strand: &[Gene],
    name: &str,
    keys: &mut Vec<KeyTime>,
) -> Vec<Item> {
    let track = &search.interval.tracks[layer];
    let table = &search.tables[layer];
    let times = search.leg_times(layer, strand);
    let tempo = &search.interval.tempo;
    let start = tempo.to_steady(search.interval.start_s) + f64::from(table.first_s);
    // Seconds of a node per second of the steady clock.
    let leg_speed = |leg: usize| match (times.get(leg), track.legs_s.get(leg)) {
        (Some(&time), Some(&want)) if time > 0.0 && want > 0.0 => time / want,
        _ => 1.0,
    };
    let mut items: Vec<Item> = Vec::with_capacity(strand.len());
    // Start of the clip as a whole, before it is entered, on the steady clock.
    let (mut at, mut unstretched) = (start, start);
    for (i, gene) in strand.iter().enumerate() {
        let before = i.checked_sub(1).map(|b| strand[b]);
        at += f64::from(gene.advance) / leg_speed(before.map_or(0, |b| b.leg as usize));
        unstretched += f64::from(gene.advance);
        let anchor = match before {
            None => track.anchors.first().filter(|_| track.first_is_anchor()),
            Some(before) if before.leg != gene.leg => track.anchor_after(before.leg as usize),
            Some(_) => None,
        };
        if let Some(anchor) = anchor {
            at = tempo.to_steady(anchor.at_s);
            keys.push(KeyTime {
                key: anchor.key,
                layer: name.to_owned(),
                node: search.library.number(gene.node) as usize,
                wanted_s: anchor.wanted_s,
                at_s: anchor.at_s,
                unstretched_s: tempo.from_steady(unstretched),
            });
            unstretched = at;
        }
        let edge = before.and_then(|b| table.network.edge(b.node as usize, gene.node as usize));
        let node = &search.library.nodes[gene.node as usize];
        let (leg_speed, pace) = (leg_speed(gene.leg as usize), node.pace);
        let speed = leg_speed * pace.speed;
        let enter_s = edge.map_or(0.0, |edge| f64::from(edge.entry_s)) * pace.speed;
        let start_s = at + enter_s / speed;
        if let (Some(last), Some(edge), Some(before)) = (items.last_mut(), edge, before) {
            last.leave_s -= f64::from(edge.exit_s) * search.library.nodes[before.node as usize].pace.speed;
            last.end_s = start_s;
        }
        items.push(Item {
            node: search.library.number(gene.node) as usize,
            start_s,
            end_s: at + node.seconds / leg_speed,
            enter_s,
            leave_s: node.captured_s(),
            whole_s: node.captured_s(),
            speed,
            held_s: pace.held_s / leg_speed,
            cost: gene.cost,
            key: anchor.map(|anchor| anchor.key),
            shows: search.library.run(gene.node),
        });
    }
    if tempo.bends() {
        items.iter_mut().for_each(|item| on_timeline(item, tempo));
    }
    items
}

/// From the steady clock to the timeline, whose beats are not all alike.
fn on_timeline(item: &mut Item, tempo: &Tempo) {
    let steady_s = item.end_s - item.start_s;
    (item.start_s, item.end_s) = (tempo.from_steady(item.start_s), tempo.from_steady(item.end_s));
    let ratio = (item.end_s - item.start_s) / steady_s;
    // A clip that no time is left for plays as it would.
    if ratio.is_finite() && ratio > 0.0 {
        item.speed /= ratio;
        item.held_s *= ratio;
    }
}
