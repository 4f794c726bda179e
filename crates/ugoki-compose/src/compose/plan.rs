//! From a timeline to searches: which nodes must stand where, and what is open between.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::opening::Opening;
use super::transitions::{Incoming, Limits};
use super::{ComposeConfig, ComposeError, Gap, Library, Remedy, Tempo, Timeline, TimelineError, Why};
use crate::network::{EASE_S, Node};

/// A key motion's place on a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Which key of the timeline.
    pub key: usize,
    /// Requested start in the timeline, seconds.
    pub wanted_s: f64,
    /// When it starts, seconds, on the beat.
    pub at_s: f64,
    /// Nodes that may stand here, ascending: one for a clip, several for a tag.
    pub nodes: Vec<u32>,
}

/// One layer within an interval: anchors, with free nodes between and, where open, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Key motions in order of time.
    pub anchors: Vec<Anchor>,
    /// Whether free nodes stand before the first anchor.
    pub open_start: bool,
    /// Whether free nodes stand after the last anchor.
    pub open_end: bool,
    /// Time from start to start of each leg, between anchors or open ends, seconds by [`Tempo::to_steady`]; of an open
    /// end to the interval's end.
    pub legs_s: Vec<f64>,
}

/// A part of the timeline that is one search.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// When it begins, seconds.
    pub start_s: f64,
    /// When it ends: with its last key motion, or with the timeline.
    pub end_s: f64,
    /// One per layer.
    pub tracks: Vec<Track>,
    /// The timeline's beats.
    pub tempo: Arc<Tempo>,
}

/// A timeline as searches, one after another; each ends with the key that the next begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The searches.
    pub intervals: Vec<Interval>,
    /// Length of the whole, seconds.
    pub seconds: f64,
    /// What the user should know: what is cut off or held at the end.
    pub notes: Vec<String>,
}

/// A part of a clip that is too short to be seen, seconds: half a frame at 60 a second.
const HELD_S: f64 = 1.0 / 60.0;

/// Times nearer than this, seconds, are one: a thousandth of a frame at 1 kHz would be below it, rounding is not.
const SAME_S: f64 = 1e-6;

/// Fraction of a beat by which the end may come after a beat for the pose to be held rather than a clip begun that is
/// cut at once.
const HELD_BEAT: f64 = 0.25;

/// A pose is held before the first key or after the last for at most this long, seconds; a longer opening must be
/// filled.
const LONGEST_HOLD_S: f64 = 1.0;

impl Track {
    /// Number of anchors that stand before gene legs start counting: leg of the first gene.
    pub(super) fn first_is_anchor(&self) -> bool {
        !self.open_start && !self.anchors.is_empty()
    }

    /// The anchor at which leg `leg` ends; `None` for an open end.
    pub(super) fn anchor_after(&self, leg: usize) -> Option<&Anchor> {
        self.anchors.get(leg + usize::from(self.first_is_anchor()))
    }

    /// The anchor with which leg `leg` starts; `None` for an open start.
    pub(super) fn anchor_before(&self, leg: usize) -> Option<&Anchor> {
        (leg + usize::from(self.first_is_anchor())).checked_sub(1).and_then(|at| self.anchors.get(at))
    }
}

/// Resolves names and tags and cuts the timeline at keys that hold one clip on every layer. Short openings are filled
/// where walks through the library's networks fit.
///
/// # Errors
/// Names the key that is unknown, doubled, or follows too soon.
pub fn plan(timeline: &Timeline, library: &Library<'_>) -> Result<Plan, ComposeError> {
    let incoming: Vec<Incoming> = library.networks.iter().map(Incoming::new).collect();
    let limits = Limits { threshold: f32::INFINITY, rejected: &[] };
    let tempo_change = ComposeConfig::default().tempo_change;
    let (nodes, networks) = (library.nodes, library.networks);
    let opening = Opening { nodes, networks, incoming: &incoming, limits, tempo_change };
    plan_openings(timeline, library, &opening)
}

/// [`plan`] with short openings filled only where walks within the limits of `opening` fit.
pub(super) fn plan_openings(
    timeline: &Timeline,
    library: &Library<'_>,
    opening: &Opening<'_>,
) -> Result<Plan, ComposeError> {
    timeline.check()?;
    let tempo = Arc::new(timeline.tempo());
    let layers = library.layers.layers();
    let mut per_layer: Vec<Vec<Anchor>> = vec![Vec::new(); layers.len()];
    // Keys for all layers with one clip: where the timeline may be cut.
    let mut cuts: Vec<f64> = Vec::new();
    for (at, key) in timeline.keys.iter().enumerate() {
        let fail = |field: &'static str, message: String| -> ComposeError {
            TimelineError::of_key(at, field, format!("key {}: {message}", at + 1)).into()
        };
        let nodes: Vec<u32> = (0..library.nodes.len() as u32)
            .filter(|&v| {
                let node = &library.nodes[v as usize];
                key.clip.as_ref().is_some_and(|clip| *clip == node.name)
                    || node.whole && key.tag.as_ref().is_some_and(|tag| node.tags.contains(tag))
            })
            .collect();
        if nodes.is_empty() {
            let wanted = key.clip.as_ref().map_or_else(
                || format!("no clip has the tag {:?}", key.tag.as_deref().unwrap_or_default()),
                |clip| format!("there is no clip {clip:?}"),
            );
            let field = if key.clip.is_some() { "clip" } else { "tag" };
            return Err(fail(field, wanted));
        }
        let at_s = tempo.nearest(key.at);
        if let Some(seconds) = timeline.seconds.filter(|seconds| at_s >= seconds - SAME_S) {
            let message = format!(
                "the beat moves it from {} s to the end at {seconds} s; give it an earlier time",
                key.at
            );
            return Err(fail("at", message));
        }
        let on: Vec<usize> = match &key.layer {
            None => (0..layers.len()).collect(),
            Some(name) => {
                let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
                let unknown =
                    || fail("layer", format!("there is no layer {name:?}; use {}", names.join(", ")));
                vec![library.layers.find(name).ok_or_else(unknown)?]
            }
        };
        if on.len() == layers.len() && nodes.len() == 1 {
            cuts.push(at_s);
        }
        for layer in on {
            if let Some(other) = per_layer[layer].iter().find(|other| (other.at_s - at_s).abs() < SAME_S) {
                return Err(fail("at", doubled(key.at, other, &layers[layer].name, &tempo)));
            }
            per_layer[layer].push(Anchor { key: at, wanted_s: key.at, at_s, nodes: nodes.clone() });
        }
    }
    for anchors in &mut per_layer {
        anchors.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    }
    cuts.sort_by(f64::total_cmp);
    let least = |anchor: &Anchor, of: &dyn Fn(&Node) -> f64| {
        anchor.nodes.iter().map(|&v| of(&library.nodes[v as usize])).fold(f64::INFINITY, f64::min)
    };
    let shortest_of = |anchor: &Anchor| least(anchor, &|node| node.seconds);
    // Clips last whole beats on the steady clock; where the timeline's beats are not all alike, they are over a little
    // sooner or later.
    let after = |at_s: f64, length_s: f64| tempo.from_steady(tempo.to_steady(at_s) + length_s);
    let last_end =
        per_layer.iter().flatten().map(|anchor| after(anchor.at_s, shortest_of(anchor))).fold(0.0, f64::max);
    let seconds = timeline.seconds.unwrap_or(last_end);
    // A short opening that no walk fills in time stays empty: the pose is held.
    let shortest = library.shortest() / (1.0 + opening.tempo_change);
    let fits_before = |layer: usize, anchor: &Anchor, room: f64| {
        room > LONGEST_HOLD_S || room >= shortest && opening.fits_before(layer, &anchor.nodes, room)
    };
    let fits_after = |layer: usize, anchor: &Anchor, room: f64| {
        let free = room - shortest_of(anchor);
        free > LONGEST_HOLD_S || free >= shortest && opening.fits_after(layer, &anchor.nodes, room)
    };
    let (clips_end, beat_note) = last_beat(&tempo, seconds);
    let mut notes: Vec<String> = Vec::new();
    let mut held: BTreeMap<String, f64> = BTreeMap::new();
    for anchor in per_layer.iter().flatten() {
        let name = named(timeline, anchor);
        let waits = least(anchor, &|node| node.pace.held_s);
        if waits > EASE_S {
            held.insert(name.clone(), waits);
        }
        // A pose that is held until the beat may be cut.
        let ends = after(anchor.at_s, least(anchor, &|node| node.seconds - node.pace.held_s));
        let note = format!(
            "{name:?} at {:.2} s lasts until {ends:.2} s and is cut at the end, {seconds:.2} s; `seconds = {:.2}` shows all of it",
            anchor.at_s,
            up(ends)
        );
        if ends > seconds + 0.5 * HELD_S && !notes.contains(&note) {
            notes.push(note);
        }
    }
    if !held.is_empty() {
        let held: Vec<String> = held.iter().map(|(name, s)| format!("{name:?} for {s:.2} s")).collect();
        notes
            .push(format!("key motions that end between beats are held until the next: {}", held.join(", ")));
    }
    let (mut open_start, mut open_end) = (false, false);
    let mut intervals = Vec::new();
    let mut from = tempo.first_s();
    for cut in cuts.iter().copied().map(Some).chain([None]) {
        // Anchors at the cut belong to both sides.
        let to = cut.unwrap_or(f64::INFINITY);
        let tracks: Vec<Track> = per_layer
            .iter()
            .enumerate()
            .map(|(layer, anchors)| {
                let inside = anchors.iter().filter(|a| a.at_s >= from - SAME_S && a.at_s <= to + SAME_S);
                let inside: Vec<Anchor> = inside.cloned().collect();
                let end = cut.is_none().then_some(clips_end);
                let room = |from: f64, to: f64| tempo.to_steady(to) - tempo.to_steady(from);
                let open = [
                    inside.first().is_none_or(|first| fits_before(layer, first, room(from, first.at_s))),
                    inside.last().is_none_or(|last| {
                        end.is_some_and(|end| fits_after(layer, last, room(last.at_s, end)))
                    }),
                ];
                open_start |= intervals.is_empty() && open[0];
                open_end |= cut.is_none() && open[1];
                track(inside, from, end, open, &tempo)
            })
            .collect();
        let worth =
            tracks.iter().any(|track| !track.legs_s.is_empty() || (intervals.is_empty() && cut.is_none()));
        if worth {
            let ends = tracks.iter().filter(|track| !track.open_end).filter_map(|track| {
                let anchor = track.anchors.last()?;
                Some(after(anchor.at_s, shortest_of(anchor)))
            });
            let end_s =
                if tracks.iter().any(|track| track.open_end) { seconds } else { ends.fold(from, f64::max) };
            intervals.push(Interval { start_s: from, end_s, tracks, tempo: Arc::clone(&tempo) });
        }
        from = cut.unwrap_or(from);
    }
    if open_start && tempo.first_s() > HELD_S {
        notes.push(format!("the first pose is held until the first beat at {:.2} s", tempo.first_s()));
    }
    notes.extend(beat_note.filter(|_| open_end));
    let plan = Plan { intervals, seconds, notes };
    check_times(&plan, timeline, library, &shortest_of)?;
    Ok(plan)
}

/// When clips at an open end are over: with the timeline, or on the beat next to its end, so that no clip leaves the
/// beat; and the note about it.
fn last_beat(tempo: &Tempo, seconds: f64) -> (f64, Option<String>) {
    let Some(beat_s) = tempo.beat_s() else { return (seconds, None) };
    let beats = (tempo.to_steady(seconds) - tempo.first_s()) / beat_s;
    if (beats - beats.round()).abs() * beat_s < 0.5 * HELD_S {
        return (seconds, None);
    }
    let held = beats.fract() <= HELD_BEAT && beats >= 1.0;
    let at = |beats: f64| tempo.from_steady(tempo.first_s() + beats * beat_s);
    let end = at(if held { beats.floor() } else { beats.ceil() });
    let what = if held {
        format!("the last pose is held from {end:.2} s on")
    } else {
        format!("the last clip would last until {end:.2} s and is cut")
    };
    let (sooner, later) = (at(beats.floor()), at(beats.ceil()));
    let note = format!(
        "the end at {seconds:.2} s is off the beat: {what}; {sooner:.2} s and {later:.2} s are on it"
    );
    (end, Some(note))
}

/// What to say of a key that starts with another on the same layer; the beat may have brought them together.
fn doubled(wanted_s: f64, other: &Anchor, layer: &str, tempo: &Tempo) -> String {
    let (at_s, first) = (other.at_s, other.key + 1);
    let moved = |wanted_s: f64| (wanted_s - at_s).abs() > SAME_S;
    let found = match (moved(wanted_s), moved(other.wanted_s)) {
        (false, false) => {
            return format!("it starts at {at_s} s on layer {layer:?}, and so does key {first}");
        }
        (true, false) => {
            format!(
                "the beat moves it from {wanted_s} s to {at_s} s on layer {layer:?}, where key {first} starts"
            )
        }
        (false, true) => {
            let there = other.wanted_s;
            format!(
                "it starts at {at_s} s on layer {layer:?}, and the beat moves key {first} there from {there} s"
            )
        }
        (true, true) => {
            let there = other.wanted_s;
            format!(
                "the beat moves it from {wanted_s} s and key {first} from {there} s to {at_s} s on layer {layer:?}"
            )
        }
    };
    let apart = tempo.beat_s().map_or(String::new(), |beat_s| format!("beats are {beat_s:.2} s apart, "));
    format!("{found}; {apart}give the keys times a beat or more apart")
}

/// Seconds, rounded up to hundredths.
pub(super) fn up(seconds: f64) -> f64 {
    (seconds * 100.0 - 1e-6).ceil() / 100.0
}

/// What a key is called by its timeline.
fn named(timeline: &Timeline, anchor: &Anchor) -> String {
    timeline.keys[anchor.key].named().to_owned()
}

/// One layer's anchors from `from` on; `end` is the timeline's where no further interval follows.
fn track(
    anchors: Vec<Anchor>,
    from: f64,
    end: Option<f64>,
    [open_start, open_end]: [bool; 2],
    tempo: &Tempo,
) -> Track {
    let mut times: Vec<f64> = anchors.iter().map(|anchor| anchor.at_s).collect();
    if open_start || anchors.is_empty() {
        times.insert(0, from);
    }
    times.extend(end.filter(|_| open_end));
    let legs_s = times.windows(2).map(|pair| tempo.to_steady(pair[1]) - tempo.to_steady(pair[0])).collect();
    Track { anchors, open_start, open_end, legs_s }
}

/// A key motion must be over before the next one starts.
fn check_times(
    plan: &Plan,
    timeline: &Timeline,
    library: &Library<'_>,
    shortest_of: &dyn Fn(&Anchor) -> f64,
) -> Result<(), ComposeError> {
    for interval in &plan.intervals {
        for (layer, track) in interval.tracks.iter().enumerate() {
            for leg in 0..track.legs_s.len() {
                let (Some(before), Some(after)) = (track.anchor_before(leg), track.anchor_after(leg)) else {
                    continue;
                };
                let tempo = &interval.tempo;
                let by_s = shortest_of(before) - (tempo.to_steady(after.at_s) - tempo.to_steady(before.at_s));
                if by_s > SAME_S {
                    let gap = Box::new(gap(interval, layer, leg, timeline, library));
                    let (clip, lasts_s) = (named(timeline, before), shortest_of(before));
                    let (why, by_s) = (Why::KeyTooLong { clip, lasts_s, by_s }, up(by_s));
                    return Err(ComposeError::Gap {
                        gap,
                        why,
                        remedies: vec![Remedy::Move { by_s }],
                        tried: false,
                    });
                }
            }
        }
    }
    Ok(())
}

/// A leg as users know it.
pub(super) fn gap(
    interval: &Interval,
    layer: usize,
    leg: usize,
    timeline: &Timeline,
    library: &Library<'_>,
) -> Gap {
    let track = &interval.tracks[layer];
    let name = |anchor: &Anchor| named(timeline, anchor);
    let before = track.anchor_before(leg);
    let after = track.anchor_after(leg);
    let start_s = before.map_or(interval.start_s, |anchor| anchor.at_s);
    Gap {
        layer: library.layers.layers()[layer].name.clone(),
        from: before.map(name),
        to: after.map(name),
        start_s,
        end_s: after.map_or(interval.end_s, |anchor| anchor.at_s),
        key: after.or(before).map(|anchor| anchor.key),
    }
}
