//! Properties of composed motions: keys on time, transitions that are edges, seams like the clips' own, level ground,
//! and nothing that depends on threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_compose::compose::{
    Callbacks, ComposeConfig, Composed, Criterion, Key, Library, ROUGH, RenderConfig, Timeline, compose,
    level_ground, repetition_of, search,
};
use ugoki_compose::network::{Catalogue, CatalogueConfig, Claim, ClipMark, Layer, Layers, RotationPart};
use ugoki_sample as sample;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

const NAMES: [&str; 9] =
    ["idle", "hand-on-heart", "point-at-you", "nod", "clap", "wave", "sway", "step-up", "step-down"];

fn catalogue(config: &CatalogueConfig) -> (Catalogue, BTreeMap<usize, Clip>) {
    let clips: Vec<Clip> = NAMES.iter().map(|name| sample::clip(name).expect("a sample motion")).collect();
    let marks: Vec<ClipMark> = (0..clips.len())
        .map(|id| ClipMark { id: id as i64, name: clips[id].name.clone(), mark: 1 })
        .collect();
    let mut load = |mark: &ClipMark| Ok(clips[mark.id as usize].clone());
    let made = Catalogue::build(config, &marks, &mut load, &mut go).expect("a catalogue");
    (made, clips.into_iter().enumerate().collect())
}

fn timeline(bpm: Option<f64>) -> Timeline {
    let key = |at: f64, clip: &str, layer: Option<&str>| Key {
        at,
        clip: Some(clip.to_owned()),
        layer: layer.map(ToOwned::to_owned),
        ..Key::default()
    };
    let keys = vec![key(1.0, "hand-on-heart", None), key(9.0, "point-at-you", Some("upper"))];
    Timeline { seconds: Some(14.0), keys, bpm, ..Timeline::default() }
}

fn quick() -> ComposeConfig {
    ComposeConfig { candidates: 3, population: 60, generations: 200, ..ComposeConfig::default() }
}

fn made(config: &CatalogueConfig, timeline: &Timeline) -> (Catalogue, Composed) {
    let (catalogue, clips) = catalogue(config);
    let criteria: Vec<Criterion<'_>> = vec![repetition_of(2.0, catalogue.origins()), level_ground(20.0)];
    let mut load = |clip: usize| Ok(clips[&clip].clone());
    let callbacks = Callbacks { load: &mut load, show: &mut |_| {} };
    let made =
        compose(&catalogue, timeline, &criteria, &quick(), &RenderConfig::default(), callbacks, &mut go)
            .expect("performances");
    drop(criteria);
    (catalogue, made)
}

/// What holds for every performance, however its network was built.
fn check(catalogue: &Catalogue, made: &Composed, timeline: &Timeline) {
    assert!(!made.motions.is_empty());
    assert_eq!(made.motions.len(), made.composition.candidates.len());
    for ((candidate, motion), &seam) in
        made.composition.candidates.iter().zip(&made.motions).zip(&made.roughest_seams)
    {
        assert_eq!(motion.clip.num_frames(), (14.0 * motion.clip.fps()).round() as usize);
        let noted = made.composition.notes.iter().any(|note| note.contains("a seam has"));
        assert!(seam <= ROUGH || noted, "a seam of {seam} without a note");
        for (sequence, network) in candidate.layers.iter().zip(catalogue.networks()) {
            for pair in sequence.items.windows(2) {
                let (from, to) = (pair[0].node, pair[1].node);
                assert!(network.edge(from, to).is_some(), "{from} → {to} is no edge");
                assert!((pair[0].end_s - pair[1].start_s).abs() < 1e-9, "no gaps in time");
            }
            for item in &sequence.items {
                let Some(key) = item.key else { continue };
                let wanted = timeline.on_beat(timeline.keys[key].at);
                // Interior transitions may enter a key later than it starts; its first frame would still have been on
                // time.
                let starts = item.start_s - item.enter_s / item.speed;
                assert!((starts - wanted).abs() < 1e-6, "{starts} s, wanted {wanted} s");
            }
        }
        // On level ground the lower foot ends where it began.
        let lower = |frame: usize| {
            let pose = motion.clip.model_pose(frame);
            let feet = [Role::LeftToes, Role::RightToes].map(|role| motion.clip.skeleton().find(role));
            feet.into_iter().flatten().map(|foot| pose.positions[foot].y).fold(f32::INFINITY, f32::min)
        };
        let climbed = lower(motion.clip.num_frames() - 1) - lower(0);
        // Toes of a foot that is lifted a little; a step of the sample actor is more than 0.15 m.
        assert!(climbed.abs() < 0.1, "{climbed} m");
    }
}

#[test]
fn performances_hold_their_properties() {
    let timeline = timeline(None);
    let (catalogue, made) = made(&CatalogueConfig::new(Layers::upper_lower()), &timeline);
    check(&catalogue, &made, &timeline);
}

#[test]
fn transitions_inside_clips_hold_the_same_properties() {
    let timeline = timeline(None);
    let mut config = CatalogueConfig::new(Layers::upper_lower());
    config.features.interior_s = 0.2;
    let (catalogue, made) = made(&config, &timeline);
    check(&catalogue, &made, &timeline);
}

#[test]
fn performances_on_the_beat_change_clips_on_it() {
    for bpm in [60.0, 97.3, 100.0] {
        let timeline = timeline(Some(bpm));
        let mut config = CatalogueConfig::new(Layers::upper_lower());
        config.cut.bpm = Some(bpm);
        let (catalogue, made) = made(&config, &timeline);
        check(&catalogue, &made, &timeline);
        on_the_beat(&catalogue, &made, &timeline);
    }
}

/// Beats given one by one, which come sooner and sooner and begin after 0.3 s.
#[test]
fn performances_on_given_beats_change_clips_on_them() {
    let mut beats = vec![0.3];
    for i in 0..24 {
        beats.push(beats[i] + 0.62 - 0.002 * i as f64);
    }
    let timeline = Timeline { beats, ..timeline(None) };
    let mut config = CatalogueConfig::new(Layers::upper_lower());
    config.cut.bpm = timeline.tempo().bpm();
    let (catalogue, made) = made(&config, &timeline);
    check(&catalogue, &made, &timeline);
    on_the_beat(&catalogue, &made, &timeline);
    let keys = made.composition.candidates.iter().flat_map(|candidate| &candidate.keys);
    assert!(keys.clone().all(|key| timeline.beats.iter().any(|beat| (beat - key.at_s).abs() < 1e-9)));
}

/// Nodes last whole beats, seams fall on beats within a frame, keys are reported as requested and play whole.
fn on_the_beat(catalogue: &Catalogue, made: &Composed, timeline: &Timeline) {
    let tempo = timeline.tempo();
    let beat_s = tempo.beat_s().expect("a tempo");
    let off = |seconds: f64| (seconds / beat_s - (seconds / beat_s).round()).abs() * beat_s;
    for node in catalogue.nodes() {
        assert!(off(node.seconds) < 1e-9, "{} lasts {} s", node.name, node.seconds);
        let most = if node.whole { 0.1 } else { 0.05 };
        assert!((node.pace.speed - 1.0).abs() <= most + 1e-9, "{} plays at {}", node.name, node.pace.speed);
    }
    let left_the_beat = made.composition.notes.iter().any(|note| note.contains("leave the beat"));
    assert!(!left_the_beat, "{:?}", made.composition.notes);
    let seconds = made.composition.seconds;
    for (candidate, motion) in made.composition.candidates.iter().zip(&made.motions) {
        for seam in &motion.seams {
            let at_s = tempo.to_steady(seam.at_s) - tempo.first_s();
            assert!(off(at_s) * motion.clip.fps() <= 1.0, "a seam at {} s", seam.at_s);
        }
        for key in &candidate.keys {
            assert_eq!(key.wanted_s, timeline.keys[key.key].at);
        }
        let fastest = candidate.layers.iter().flat_map(|layer| &layer.items).map(|i| (i.speed - 1.0).abs());
        assert_eq!(candidate.tempo_change, fastest.fold(0.0, f64::max));
        for item in candidate.layers.iter().flat_map(|layer| &layer.items) {
            let origin = &catalogue.origins()[item.node];
            let last_s = item.end_s.min(seconds);
            if item.key.is_some() && last_s == item.end_s {
                // All frames of the clip, from its first to its last.
                let clip = sample::clip(&catalogue.clips()[origin.clip].name).expect("a sample motion");
                assert_eq!(origin.frames, clip.motion_frames());
                assert_eq!(item.clip_s(item.start_s), 0.0);
                assert!(
                    (item.clip_s(item.end_s) - clip.motion_frames().len() as f64 / clip.fps()).abs() < 1e-6
                );
            }
        }
    }
}

/// Two feet from different clips cannot both stand under one body: the layer with fewer of the legs' joints is named in
/// a note.
#[test]
fn legs_that_are_not_shown_are_noted() {
    let layer = |name: &str, roles: &[Role]| Layer {
        name: name.to_owned(),
        roles: roles.iter().map(|&role| Claim { role, part: RotationPart::Whole }).collect(),
        joints: Vec::new(),
    };
    let left = layer("left", &[Role::LeftLowerLeg, Role::LeftFoot]);
    let layers = Layers::new(vec![left, layer("rest", &[])], "rest").expect("a partition");
    let timeline = Timeline { seconds: Some(14.0), ..Timeline::default() };
    let (catalogue, made) = made(&CatalogueConfig::new(layers), &timeline);
    check(&catalogue, &made, &timeline);
    let note = made.composition.notes.iter().find(|note| note.contains("not shown")).expect("a note");
    assert!(note.contains("leftFoot of \"left\"") && note.contains("\"rest\""), "{note}");
}

/// Rounds are put together: what is given differs by the least distance where it can, best first, numbered in order.
#[test]
fn performances_are_ranked_and_differ() {
    let (_, made) = made(&CatalogueConfig::new(Layers::upper_lower()), &timeline(None));
    let candidates = &made.composition.candidates;
    assert!(candidates.windows(2).all(|pair| pair[0].f <= pair[1].f));
    for (number, motion) in made.motions.iter().enumerate() {
        assert_eq!(motion.clip.name, format!("candidate-{:02}", number + 1));
    }
    for (i, a) in candidates.iter().enumerate() {
        assert!(candidates[..i].iter().all(|b| a.distance(b) >= quick().distance), "candidate {i}");
    }
    let valid = made.composition.intervals.iter().map(|s| s.valid_f).sum::<f64>()
        / made.composition.intervals.len() as f64;
    assert!(candidates.iter().all(|candidate| candidate.f <= valid), "F_v is kept over all rounds");
}

#[test]
fn threads_do_not_matter() {
    let (catalogue, _) = catalogue(&CatalogueConfig::new(Layers::upper_lower()));
    let timeline = timeline(None);
    let search = || {
        let library =
            Library::new(catalogue.nodes(), catalogue.layers(), catalogue.networks(), catalogue.features());
        search(&library.expect("a library"), &timeline, &[], &quick(), &mut go).expect("candidates")
    };
    let alone = search();
    for threads in [2, 7] {
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
            for thread in running {
                assert_eq!(thread.join().expect("no panic"), alone, "{threads} threads");
            }
        });
    }
    // Networks are what threads build, under the feature `parallel`.
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (again, _) = pool.install(|| self::catalogue(&CatalogueConfig::new(Layers::upper_lower())));
        assert_eq!(again.networks(), catalogue.networks(), "{threads} threads");
    }
}
