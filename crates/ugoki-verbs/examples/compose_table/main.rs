//! The tables of `docs/results/compose.md`: candidates rendered and measured.
//!
//! `cargo run --profile smoke -p ugoki-verbs --example compose_table -- [two-gaps] [singer] [layers] [captures] [sport] [--out DIR]`; without names all of
//! them. `partitions` measures feet where hips and legs belong to different layers. `probe` lists the rough seams of the captures before anything is rejected, and where they come from. The captures need `UGOKI_CAPTURES`. `--out` writes the motions as BVH.

mod feet;
mod measure;
mod partitions;
mod probe;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use measure::{Measured, chest_in_world, measure, tilt_speed};
use ugoki::clip::Clip;
use ugoki::compose::{
    Callbacks, Candidate, ComposeConfig, Composed, Composition, Library, Preferences, ROUGH, RenderConfig,
    Rendered, Song, Source, Timeline, accelerations, add_song, clips_of, compose, render, search,
};
use ugoki::formats::{Format, ReadOptions, WriteOptions, read, write};
use ugoki::network::{Catalogue, CatalogueConfig, Claim, ClipMark, Layer, Layers, RotationPart};
use ugoki::retarget::{RetargetConfig, retarget_onto as onto};
use ugoki::sample;
use ugoki::signal::Part;
use ugoki::skeleton::Role;

/// The captures that most tables are of.
const MOSTLY: [&str; 2] = ["cmu/gesture", "cmu/locomotion"];

/// Seeds of every table.
const SEEDS: u64 = 5;

type Failure = Box<dyn std::error::Error>;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Clips on one skeleton and what is known about them.
struct Stock {
    clips: BTreeMap<usize, Clip>,
    sources: BTreeMap<usize, Source>,
    own: RefCell<BTreeMap<usize, Rc<Vec<f64>>>>,
}

impl Stock {
    fn new(clips: Vec<Clip>) -> Self {
        let sources = clips.iter().cloned().map(Source::new).enumerate().collect();
        Self { clips: clips.into_iter().enumerate().collect(), sources, own: RefCell::default() }
    }

    fn catalogue(&self, config: &CatalogueConfig) -> Result<Catalogue, Failure> {
        let marks: Vec<ClipMark> = (self.clips.iter())
            .map(|(&number, clip)| ClipMark { id: number as i64, name: clip.name.clone(), mark: 0 })
            .collect();
        let mut load = |mark: &ClipMark| Ok(self.clips[&(mark.id as usize)].clone());
        Ok(Catalogue::build(config, &marks, &mut load, &mut go)?)
    }

    /// Largest joint acceleration in every frame of a clip.
    fn own(&self, clip: usize) -> Rc<Vec<f64>> {
        self.own
            .borrow_mut()
            .entry(clip)
            .or_insert_with(|| Rc::new(accelerations(&self.clips[&clip])))
            .clone()
    }
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let out =
        words.iter().position(|word| word == "--out").and_then(|at| words.get(at + 1)).map(PathBuf::from);
    let named: Vec<&String> =
        words.iter().filter(|w| !w.starts_with("--") && out.as_deref() != Some(w.as_ref())).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|word| *word == name);
    let inside = |name: &str| out.as_deref().map(|folder| folder.join(name));
    let stock = Stock::new(sample::clips());
    let two_gaps = Timeline::parse(include_str!("two-gaps.toml"))?;
    if wanted("two-gaps") {
        println!("## two gaps between the same two keys\n");
        show(&stock, &Layers::upper_lower(), &two_gaps, 10, inside("two-gaps").as_deref(), true)?;
    }
    if wanted("singer") {
        println!("## singer\n");
        let catalogue = stock.catalogue(&CatalogueConfig::new(Layers::upper_lower()))?;
        let open = Timeline::parse_open(include_str!("song.toml"))?;
        let lyrics = Some(include_str!("song.lrc"));
        let words = Song { lyrics, layer: None, gestures: &BTreeMap::new() };
        let (song, notes) = add_song(open, &words, &catalogue)?;
        println!("{} keys; {notes:?}\n", song.keys.len());
        show(&stock, &Layers::upper_lower(), &song, 20, inside("singer").as_deref(), true)?;
    }
    if wanted("layers") {
        for (name, layers) in [("full", Layers::full()), ("head, arms, legs", Layers::head_arms_legs())] {
            println!("## two gaps, {name}\n");
            show(&stock, &layers, &two_gaps, 10, inside(name).as_deref(), false)?;
        }
    }
    if wanted("captures") {
        captures("captures", &MOSTLY, &twenty(), inside("captures").as_deref())?;
    }
    if wanted("sport") {
        let minute = Timeline { seconds: Some(60.0), ..Timeline::default() };
        captures("sport", &["cmu/sport", "cmu/physics"], &minute, inside("sport").as_deref())?;
    }
    if named.iter().any(|word| *word == "feet") {
        println!("## feet of captures\n");
        feet::glides(&captured(&MOSTLY)?, &twenty())?;
    }
    if named.iter().any(|word| *word == "partitions") {
        println!("## feet of captures, hips and legs on different layers\n");
        partitions::table(&captured(&MOSTLY)?, &twenty(), inside("partitions").as_deref())?;
    }
    if named.iter().any(|word| *word == "probe") {
        println!("## rough seams of captures\n");
        probe::seams(&captured(&MOSTLY)?, &twenty())?;
    }
    Ok(())
}

/// A cut at the waist: the upper body has the whole torso.
fn waist_cut() -> Layers {
    let upper = Role::ALL.iter().filter(|&&role| Part::Upper.has(role));
    let roles = upper.map(|&role| Claim { role, part: RotationPart::Whole }).collect();
    let layer = |name: &str, roles| Layer { name: name.to_owned(), roles, joints: Vec::new() };
    Layers::new(vec![layer("upper", roles), layer("lower", Vec::new())], "lower").expect("a partition")
}

/// What the verb gives, for each of five seeds.
fn given(
    stock: &Stock,
    catalogue: &Catalogue,
    timeline: &Timeline,
    count: usize,
) -> Result<Vec<Composed>, Failure> {
    let criteria = Preferences::default().criteria(catalogue.origins(), catalogue.layers());
    let settings = RenderConfig::default();
    let mut load = |clip: usize| Ok(stock.clips[&clip].clone());
    let mut all: Vec<Composed> = Vec::new();
    for seed in 0..SEEDS {
        let config = ComposeConfig { candidates: count, seed, ..ComposeConfig::default() };
        let callbacks = Callbacks { load: &mut load, show: &mut |_| {} };
        all.push(compose(catalogue, timeline, &criteria, &config, &settings, callbacks, &mut go)?);
    }
    Ok(all)
}

fn show(
    stock: &Stock,
    layers: &Layers,
    timeline: &Timeline,
    count: usize,
    out: Option<&Path>,
    names: bool,
) -> Result<(), Failure> {
    let catalogue = stock.catalogue(&CatalogueConfig::new(layers.clone()))?;
    let edges: Vec<usize> = catalogue.networks().iter().map(ugoki::network::Network::num_edges).collect();
    println!("{} nodes, {edges:?} edges\n", catalogue.nodes().len());
    let all = given(stock, &catalogue, timeline, count)?;
    let rows: Vec<Vec<Measured>> =
        all.iter().map(|made| measured(stock, &catalogue, &made.composition, &made.motions)).collect();
    println!(
        "| seed | candidates | searches | transitions struck | best F | worst seam / own | worst in a blend | above {ROUGH} | most skate added, cm/s | at seams | most gliding added, m | longest glide, cm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (seed, (made, rows)) in all.iter().zip(&rows).enumerate() {
        let most = |of: &dyn Fn(&Measured) -> f64| {
            let values = rows.iter().map(of).enumerate();
            values.max_by(|a, b| a.1.total_cmp(&b.1)).map_or((0, f64::NAN), |(at, most)| (at + 1, most))
        };
        let added = |[now, own]: [f64; 2]| now - own;
        let show = |(at, most): (usize, f64)| format!("{most:.2} ({at})");
        println!(
            "| {seed} | {} | {} | {} | {:.3} | {} | {} | {} | {} | {} | {} | {} |",
            made.motions.len(),
            made.rounds,
            made.rejected,
            made.composition.candidates[0].f,
            show(most(&|row| row.seam)),
            show(most(&|row| row.blend)),
            rows.iter().filter(|row| row.seam.max(row.blend) > ROUGH).count(),
            show(most(&|row| 100.0 * added(row.feet.skate_m_s))),
            show(most(&|row| 100.0 * added(row.feet.skate_at_seams_m_s))),
            show(most(&|row| added(row.feet.glide_m))),
            show(most(&|row| 100.0 * row.feet.worst_m)),
        );
    }
    println!();
    let made = &all[0].composition;
    if names {
        table(&catalogue, made);
    }
    println!(
        "| candidate | F | f1, s² | f2 | f3, rad² | stretch | key off by, s | seam / own | in a blend | where | skate, its clips', cm/s | at seams, its clips' | glides, its clips', m | longest, cm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (number, (row, candidate)) in rows[0].iter().zip(&made.candidates).enumerate() {
        let feet = &row.feet;
        let pair = |[now, own]: [f64; 2], factor: f64| format!("{:.2}, {:.2}", factor * now, factor * own);
        println!(
            "| {} | {:.3} | {:.4} | {:.5} | {:.4} | {:.1} % | {:.4} | {:.2} | {:.2} | {} | {} | {} | {} | {:.1} |",
            number + 1,
            candidate.f,
            candidate.f1,
            candidate.f2,
            candidate.f3,
            100.0 * candidate.tempo_change,
            row.key_s,
            row.seam,
            row.blend,
            row.worst,
            pair(feet.skate_m_s, 100.0),
            pair(feet.skate_at_seams_m_s, 100.0),
            pair(feet.glide_m, 1.0),
            100.0 * feet.worst_m
        );
    }
    println!(
        "\ndiversity {:.2}, rank correlation of f3 {:?}\n",
        made.diversity,
        made.intervals.iter().map(|s| s.torso_correlation).collect::<Vec<_>>()
    );
    if let Some(folder) = out {
        save_clips(all[0].motions.iter().map(|motion| &motion.clip), folder)?;
    }
    if *layers == Layers::upper_lower() {
        compare_cut(stock, &catalogue, made)?;
    }
    Ok(())
}

fn table(catalogue: &Catalogue, made: &Composition) {
    println!("| candidate | layer | clips |\n|---|---|---|");
    for (number, candidate) in made.candidates.iter().enumerate() {
        for layer in &candidate.layers {
            let names: Vec<String> = layer
                .items
                .iter()
                .map(|item| {
                    let name = &catalogue.nodes()[item.node].name;
                    if item.key.is_some() { format!("**{name}**") } else { name.clone() }
                })
                .collect();
            println!("| {} | {} | {} |", number + 1, layer.layer, names.join(" · "));
        }
    }
    println!();
}

fn measured(stock: &Stock, catalogue: &Catalogue, made: &Composition, motions: &[Rendered]) -> Vec<Measured> {
    let pairs = made.candidates.iter().zip(motions);
    pairs
        .map(|(candidate, motion)| {
            measure(candidate, motion, catalogue.origins(), &stock.sources, &|clip| stock.own(clip))
        })
        .collect()
}

fn save_clips<'a>(clips: impl Iterator<Item = &'a Clip>, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    for clip in clips {
        let bytes = write(clip, Format::Bvh, &WriteOptions::default(), &mut go)?.bytes;
        std::fs::write(folder.join(format!("{}.bvh", clip.name)), bytes)?;
    }
    Ok(())
}

fn draw(
    stock: &Stock,
    catalogue: &Catalogue,
    layers: &Layers,
    candidate: &Candidate,
    seconds: f64,
) -> Result<Rendered, Failure> {
    let needed: BTreeSet<usize> = clips_of(candidate, catalogue.origins());
    assert!(needed.iter().all(|clip| stock.clips.contains_key(clip)));
    let settings = RenderConfig::default();
    Ok(render(candidate, layers, catalogue.origins(), &stock.sources, seconds, &settings, &mut go)?)
}

/// What a search found, as motion.
#[derive(Clone)]
struct Found<'a> {
    catalogue: &'a Catalogue,
    candidate: &'a Candidate,
    motion: &'a Rendered,
    label: String,
}

/// Shows ten candidates of each of five seeds as the search finds them: nothing is rejected.
fn each_found(
    stock: &Stock,
    layers: Layers,
    timeline: &Timeline,
    show: &mut dyn FnMut(&Found<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let catalogue = &stock.catalogue(&CatalogueConfig::new(layers))?;
    let (nodes, layers) = (catalogue.nodes(), catalogue.layers());
    let library = Library::new(nodes, layers, catalogue.networks(), catalogue.features())?
        .with_origins(catalogue.origins());
    let criteria = Preferences::default().criteria(catalogue.origins(), catalogue.layers());
    for seed in 0..SEEDS {
        let config = ComposeConfig { candidates: 10, seed, ..ComposeConfig::default() };
        let made = search(&library, timeline, &criteria, &config, &mut go)?;
        for (number, candidate) in made.candidates.iter().enumerate() {
            let motion = &draw(stock, catalogue, layers, candidate, made.seconds)?;
            let label = format!("{} layers, seed {seed}, candidate {}", layers.layers().len(), number + 1);
            show(&Found { catalogue, candidate, motion, label })?;
        }
    }
    Ok(())
}

/// The same sequences with the torso split by swing and twist, and with a plain cut at the waist.
fn compare_cut(stock: &Stock, catalogue: &Catalogue, made: &Composition) -> Result<(), Failure> {
    println!(
        "| candidate | chest tilts, rad/s: split | waist cut | lower clips' own | chest off the lower clips', rad²: split | waist cut |"
    );
    println!("|---|---|---|---|---|---|");
    let waist = waist_cut();
    let mut sums = [0.0; 5];
    for (number, candidate) in made.candidates.iter().enumerate() {
        let split = draw(stock, catalogue, catalogue.layers(), candidate, made.seconds)?.clip;
        let cut = draw(stock, catalogue, &waist, candidate, made.seconds)?.clip;
        // Lower clips alone, as they were captured.
        let mut alone = candidate.clone();
        let base = catalogue.layers().base();
        alone.layers = vec![candidate.layers[base].clone()];
        alone.layers[0].layer = "full".to_owned();
        let lower = draw(stock, catalogue, &Layers::full(), &alone, made.seconds)?.clip;
        let row = [
            tilt_speed(&split),
            tilt_speed(&cut),
            tilt_speed(&lower),
            chest_in_world(&split, &lower),
            chest_in_world(&cut, &lower),
        ];
        println!(
            "| {} | {:.3} | {:.3} | {:.3} | {:.5} | {:.5} |",
            number + 1,
            row[0],
            row[1],
            row[2],
            row[3],
            row[4]
        );
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v / made.candidates.len() as f64);
    }
    println!("\nmeans {sums:.4?}\n");
    Ok(())
}

/// Some parts of the captures on one skeleton, cut by themselves.
fn captures(name: &str, parts: &[&str], timeline: &Timeline, out: Option<&Path>) -> Result<(), Failure> {
    if std::env::var_os("UGOKI_CAPTURES").is_none() {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    }
    let inside = |name: &str| out.map(|folder| folder.join(name));
    println!("## {name}\n");
    let stock = captured(parts)?;
    for (name, layers) in [("full", Layers::full()), ("upper and lower", Layers::upper_lower())] {
        println!("### {name}: {} seconds without keys\n", timeline.seconds.unwrap_or(0.0));
        show(&stock, &layers, timeline, 10, inside(name).as_deref(), true)?;
    }
    Ok(())
}

/// Twenty seconds without keys.
fn twenty() -> Timeline {
    Timeline { seconds: Some(20.0), ..Timeline::default() }
}

/// The captures on the sample actor's skeleton.
fn captured(parts: &[&str]) -> Result<Stock, Failure> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from).ok_or("UGOKI_CAPTURES is not set")?;
    let mut clips: Vec<Clip> = Vec::new();
    let target = sample::clip("idle").ok_or("no idle")?;
    for part in parts {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(part))?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "bvh")) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let clip = read(&std::fs::read(file)?, Some("bvh"), &ReadOptions::default())?.clip;
            match onto(&clip, &target, &RetargetConfig::default(), &mut go) {
                Ok(moved) => {
                    let mut clip = moved.clip.resampled(60.0)?;
                    clip = clip.trimmed(clip.motion_frames())?;
                    clip.name = stem;
                    clips.push(clip);
                }
                Err(error) => println!("{stem}: {error}"),
            }
        }
    }
    println!("{} captures, {:.0} s\n", clips.len(), clips.iter().map(Clip::seconds).sum::<f64>());
    Ok(Stock::new(clips))
}
