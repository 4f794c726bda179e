//! Properties of catalogues: pieces make up their clip, beats are whole, growth equals building at once, bytes
//! round-trip.

use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_compose::network::{
    Catalogue, CatalogueConfig, ClipMark, CutConfig, Layers, NetworkError, cut_clip, transitions,
};
use ugoki_motion::edit::{GroundFrame, Player, PlayerScratch, Repertoire, Source};
use ugoki_sample as sample;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn pieces_follow_each_other_through_the_whole_clip() {
    let config = CutConfig::default();
    let mut most = 0;
    for clip in sample::clips() {
        let cuts = cut_clip(&clip, &config, &mut go).expect("cuts");
        assert_eq!(
            (cuts[0].name.as_str(), cuts[0].whole, &cuts[0].frames),
            (&*clip.name, true, &clip.motion_frames())
        );
        most = most.max(cuts.len() - 1);
        let Some(first) = cuts.get(1) else { continue };
        assert_eq!(first.frames.start, 0, "{}", clip.name);
        assert_eq!(cuts[cuts.len() - 1].frames.end, clip.num_frames());
        for pair in cuts[1..].windows(2) {
            assert_eq!(pair[0].frames.end, pair[1].frames.start);
            assert!(pair[0].name != pair[1].name && !pair[1].whole);
        }
        for cut in &cuts[1..] {
            let seconds = cut.frames.len() as f64 / clip.fps();
            assert!((seconds - cut.seconds).abs() < 1e-9);
            assert!(
                seconds >= config.shortest_s - 1e-9 && seconds <= config.longest_s + 1e-9,
                "{}: {seconds} s",
                cut.name
            );
        }
    }
    assert!(most >= 5, "walks have many steps");
    let whole = CutConfig { pieces: false, ..config };
    assert!(sample::clips().iter().all(|clip| cut_clip(clip, &whole, &mut go).expect("cuts").len() == 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn on_the_beat_every_piece_lasts_whole_beats(bpm in 60.0..180.0_f64, number in 0_usize..29) {
        let clip = &sample::motions()[number % sample::motions().len()].clip();
        let config = CutConfig { bpm: Some(bpm), ..CutConfig::default() };
        let beat = 60.0 / bpm;
        for cut in cut_clip(clip, &config, &mut go).expect("cuts") {
            let beats = cut.seconds / beat;
            let captured = cut.frames.len() as f64 / clip.fps();
            prop_assert!((beats - beats.round()).abs() < 1e-6, "{}: {beats} beats", cut.name);
            // Frames at their speed, and what is waited for the beat: nothing is lost. Only whole clips wait.
            let played = captured / cut.pace.speed + cut.pace.held_s;
            prop_assert!((played - cut.seconds).abs() < 1e-6, "{}: {played} of {} s", cut.name, cut.seconds);
            prop_assert!(cut.whole || cut.pace.held_s == 0.0);
            let most = if cut.whole { config.whole_tempo_change } else { config.tempo_change };
            prop_assert!((cut.pace.speed - 1.0).abs() <= most + 1e-6, "{}: {:?}", cut.name, cut.pace);
        }
    }
}

fn marks(names: &[&str]) -> Vec<ClipMark> {
    names
        .iter()
        .map(|name| ClipMark {
            id: sample::motions().iter().position(|motion| motion.name == *name).expect("a motion") as i64,
            name: (*name).to_owned(),
            mark: 1,
        })
        .collect()
}

fn load(mark: &ClipMark) -> Result<Clip, NetworkError> {
    let missing = || NetworkError::Load { name: mark.name.clone(), what: "not there".to_owned() };
    sample::motions().get(mark.id as usize).map(ugoki_sample::SampleMotion::clip).ok_or_else(missing)
}

fn build(names: &[&str], most: Option<u32>) -> Catalogue {
    let mut config = CatalogueConfig::new(Layers::upper_lower());
    config.network.most = most;
    Catalogue::build(&config, &marks(names), &mut load, &mut go).expect("a catalogue")
}

#[test]
fn a_catalogue_brought_up_to_date_equals_one_built_at_once() {
    for most in [None, Some(6)] {
        let old = build(&["idle", "nod", "wave", "clap"], most);
        // Nothing changed: nothing is loaded.
        let mut none = |mark: &ClipMark| {
            Err(NetworkError::Load { name: mark.name.clone(), what: "asked for".to_owned() })
        };
        let (same, changes) = old.clone().updated(old.clips(), &mut none, &mut go).expect("as it was");
        assert_eq!((&same, changes.added, changes.removed), (&old, 0, 0));
        let (grown, changes) = old
            .clone()
            .updated(&marks(&["idle", "nod", "wave", "clap", "bow"]), &mut load, &mut go)
            .expect("one more");
        assert_eq!((changes.added, changes.removed, changes.kept), (1, 0, 4));
        assert_eq!(grown, build(&["idle", "nod", "wave", "clap", "bow"], most));
        let (less, changes) =
            grown.updated(&marks(&["bow", "clap", "idle"]), &mut load, &mut go).expect("two fewer");
        assert_eq!((changes.added, changes.removed, changes.kept), (0, 2, 3));
        // What stays keeps its order.
        assert_eq!(less, build(&["idle", "clap", "bow"], most));
        // A motion that changed is gone and new.
        let mut changed = marks(&["idle", "nod", "wave", "clap"]);
        changed[1].mark = 2;
        let (again, changes) = old.clone().updated(&changed, &mut load, &mut go).expect("one changed");
        assert_eq!((changes.added, changes.removed, changes.kept), (1, 1, 3));
        assert_eq!(again.nodes().len(), old.nodes().len());
        // Another name is no other motion.
        let mut renamed = marks(&["idle", "nod", "wave", "clap"]);
        renamed[2].name = "hello".to_owned();
        let (renamed, changes) = old.updated(&renamed, &mut load, &mut go).expect("renamed");
        assert_eq!(changes.added + changes.removed, 0);
        assert!(renamed.nodes().iter().any(|node| node.name == "hello"));
        assert!(renamed.nodes().iter().all(|node| !node.name.starts_with("wave")));
    }
}

#[test]
fn a_database_keeps_one_catalogue_for_each_set_of_layers() {
    let usual = CatalogueConfig::new(Layers::upper_lower());
    let mut other = usual.clone();
    other.network.threshold = 0.06;
    assert_eq!(usual.name(), other.name());
    assert!(usual.has_nodes_of(&other));
    other.cut.pieces = false;
    assert_eq!(usual.name(), other.name());
    assert!(!usual.has_nodes_of(&other));
    assert_ne!(usual.name(), CatalogueConfig::new(Layers::full()).name());
    assert!(usual.name().starts_with("upper+lower-"));
}

#[test]
fn other_edges_over_the_same_nodes_are_those_of_a_catalogue_built_so() {
    let names = ["idle", "nod", "wave", "clap"];
    let made = build(&names, Some(6)).with_edges(build(&names, Some(3)).config().network.clone(), &mut go);
    assert_eq!(made.expect("edges"), build(&names, Some(3)));
}

#[test]
fn clips_without_motion_have_no_nodes_and_none_at_all_is_an_error() {
    let config = CatalogueConfig::new(Layers::full());
    assert_eq!(Catalogue::build(&config, &[], &mut load, &mut go), Err(NetworkError::Empty));
    let mut failing =
        |mark: &ClipMark| Err(NetworkError::Load { name: mark.name.clone(), what: "gone".to_owned() });
    let error = Catalogue::build(&config, &marks(&["nod"]), &mut failing, &mut go).unwrap_err();
    assert!(error.to_string().contains("nod") && error.to_string().contains("gone"));
}

#[test]
fn catalogues_survive_their_bytes() {
    let mut made = build(&["nod", "bow"], None);
    let bytes = made.to_bytes();
    let none: Vec<Vec<String>> = vec![Vec::new(); made.clips().len()];
    // Tags are the caller's and change without the clips.
    made.set_tags(&none);
    assert_eq!(Catalogue::from_bytes(&bytes), Ok(made));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_bytes_are_refused_or_read_as_they_are(at in 0_usize..1_000_000, byte in any::<u8>()) {
        let whole = bytes();
        prop_assert!(Catalogue::from_bytes(&whole[..at % whole.len()]).is_err());
        let mut bytes = whole.to_vec();
        // Mostly the first part, where counts and names are.
        let at = if at % 2 == 0 { at % 4000 } else { at } % bytes.len();
        bytes[at] = byte;
        if let Ok(read) = Catalogue::from_bytes(&bytes) {
            prop_assert!(!read.nodes().is_empty());
        }
    }
}

fn bytes() -> &'static [u8] {
    static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    BYTES.get_or_init(|| build(&["nod", "bow"], None).to_bytes())
}

#[test]
fn players_take_the_transitions_of_the_network() {
    let names = ["walk", "turn-left", "walk-fast"];
    let mut config = CatalogueConfig::new(Layers::full());
    // Gaits of one sample actor are near each other, but not as near as movements of one clip.
    config.network.threshold = 0.5;
    let catalogue = Catalogue::build(&config, &marks(&names), &mut load, &mut go).expect("a catalogue");
    let sources = names.map(|name| {
        let mut clip = sample::clip(name).expect("a motion");
        clip.name = name.to_owned();
        Source::build(&clip, &mut go).expect("a source")
    });
    let repertoire = Repertoire::build(sources.into()).expect("segments");
    let links = transitions(&repertoire, &catalogue, 0);
    assert!(links.iter().all(|&(from, to)| repertoire.fits(from, to)));
    let source_of = |segment: usize| {
        let name = &repertoire.segments()[segment].name;
        names.iter().position(|source| name.rsplit_once(':').is_some_and(|(own, _)| own == *source))
    };
    let crossing: Vec<&(usize, usize)> =
        links.iter().filter(|(from, to)| source_of(*from) != source_of(*to)).collect();
    assert!(!crossing.is_empty(), "{links:?}");
    assert!(transitions(&repertoire, &catalogue, 99).is_empty());
    // A player gets there.
    let &&(from, to) = crossing.first().expect("a transition between sources");
    let shared = Arc::new(repertoire.clone().linked(&links).expect("they fit"));
    let mut player = Player::new(shared.clone(), from, GroundFrame::HERE).expect("a segment");
    player.request(to).expect("a way");
    let (mut scratch, mut pose) = (PlayerScratch::new(&shared), Pose::rest(&sample::skeleton()));
    let arrived = (0..240).any(|_| {
        player.tick(1.0 / 60.0, &mut scratch, &mut pose);
        assert!(pose.root.is_finite());
        player.segment() == to
    });
    assert!(arrived, "{} of {}", player.segment(), to);
}
