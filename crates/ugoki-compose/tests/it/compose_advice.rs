//! Advice of a failed composition, followed: every remedy that is named gives a motion.

use std::ops::ControlFlow;

use ugoki_base::clip::Clip;
use ugoki_compose::compose::{
    Callbacks, ComposeConfig, ComposeError, Gap, Key, Preferences, Remedy, RenderConfig, Timeline, compose,
};
use ugoki_compose::network::{Catalogue, CatalogueConfig, ClipMark, Layers};
use ugoki_sample as sample;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[derive(Clone)]
struct Request {
    config: ComposeConfig,
    building: CatalogueConfig,
}

struct Actor {
    clips: Vec<Clip>,
}

impl Actor {
    fn compose(&self, request: &Request, timeline: &Timeline) -> Result<usize, ComposeError> {
        let marks: Vec<ClipMark> = (0..self.clips.len())
            .map(|id| ClipMark { id: id as i64, name: self.clips[id].name.clone(), mark: 1 })
            .collect();
        let mut load = |mark: &ClipMark| Ok(self.clips[mark.id as usize].clone());
        let catalogue = Catalogue::build(&request.building, &marks, &mut load, &mut go).expect("a catalogue");
        let criteria = Preferences::default().criteria(catalogue.origins(), catalogue.layers());
        let mut load = |clip: usize| Ok(self.clips[clip].clone());
        let callbacks = Callbacks { load: &mut load, show: &mut |_| {} };
        let settings = RenderConfig::default();
        compose(&catalogue, timeline, &criteria, &request.config, &settings, callbacks, &mut go)
            .map(|made| made.motions.len())
    }
}

fn key(at: f64, clip: &str) -> Key {
    Key { at, clip: Some(clip.to_owned()), ..Key::default() }
}

/// Request and timeline with a remedy done.
fn followed(request: &Request, timeline: &Timeline, gap: &Gap, remedy: &Remedy) -> (Request, Timeline) {
    let (mut request, mut timeline) = (request.clone(), timeline.clone());
    match remedy {
        Remedy::Threshold { threshold } => request.building.network.threshold = *threshold,
        Remedy::Interior { interior_s } => request.building.features.interior_s = *interior_s,
        Remedy::Valid { valid_f } => request.config.valid_f = Some(*valid_f),
        Remedy::Move { by_s } => {
            let later = timeline.keys.iter_mut().filter(|key| gap.to.is_some() && key.at >= gap.end_s - 1e-6);
            later.for_each(|key| key.at += by_s);
            timeline.seconds = timeline.seconds.map(|seconds| seconds + by_s);
        }
    }
    (request, timeline)
}

#[test]
fn following_the_advice_gives_a_motion() {
    let names = ["idle", "hand-on-heart", "point-at-you", "bow", "nod", "clap", "wave", "walk"];
    let clips = names.iter().map(|name| sample::clip(name).expect("a sample motion")).collect();
    let actor = Actor { clips };
    let quick = || Request {
        config: ComposeConfig { candidates: 2, population: 40, generations: 60, ..ComposeConfig::default() },
        building: CatalogueConfig::new(Layers::upper_lower()),
    };
    let of = |seconds: Option<f64>, keys: Vec<Key>| Timeline { seconds, keys, ..Timeline::default() };
    let show = || of(Some(20.0), vec![key(2.0, "hand-on-heart"), key(7.0, "point-at-you"), key(14.0, "bow")]);
    let strictest = || {
        let mut request = quick();
        request.config.valid_f = Some(0.0);
        request
    };
    let whole = || {
        let mut request = quick();
        request.building.cut.pieces = false;
        request
    };
    let few = || {
        let mut request = quick();
        request.building.network.most = Some(1);
        request
    };
    let strict = || {
        let mut request = quick();
        request.building.network.threshold = 1e-6;
        request
    };
    let cases = [
        ("F_v of nothing over four intervals", strictest(), show()),
        ("whole clips", whole(), show()),
        ("keys too close", quick(), of(None, vec![key(0.0, "bow"), key(1.0, "wave")])),
        ("keys too close, whole clips", whole(), of(None, vec![key(0.0, "bow"), key(3.3, "wave")])),
        ("shorter than any clip", quick(), of(Some(0.3), vec![])),
        ("a hundredth of a second", quick(), of(Some(0.01), vec![])),
        ("one transition each", few(), show()),
        ("no transitions", strict(), show()),
    ];
    let mut remedied = 0;
    for (name, request, timeline) in cases {
        let Err(error) = actor.compose(&request, &timeline) else { continue };
        let ComposeError::Gap { gap, remedies, .. } = &error else { panic!("{name}: {error}") };
        println!("{name}: {error}");
        for remedy in remedies {
            let (request, timeline) = followed(&request, &timeline, gap, remedy);
            let made = actor.compose(&request, &timeline);
            assert!(made.is_ok(), "{name}: {error}\n  {remedy:?} followed: {}", made.unwrap_err());
            remedied += 1;
        }
    }
    // Otherwise this proves nothing.
    assert!(remedied >= 6, "{remedied} remedies");
}
