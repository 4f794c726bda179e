//! The filter article's demonstrations as moving pictures, and what they cost: writes into a folder
//!
//! - `filter-methods.gif`: a captured dance and what five methods make of it under `box:51`;
//! - `blend-reach.gif`: a reach up, a reach back and down, and half of each;
//! - `filter-cost.svg`: time per frame of every method against the width of the window.
//!
//! Without captures it takes a sample motion, without a folder one for temporary files.
//!
//! `UGOKI_CAPTURES=DIR cargo run --profile smoke -p ugoki --example article_films -- docs/images`

use std::path::PathBuf;
use std::time::Instant;

use ugoki::clip::Clip;
use ugoki::formats::{ReadOptions, read};
use ugoki::picture::{Curve, PictureConfig, Plot, View, side_by_side_gif, stacked_plots_svg};
use ugoki::signal::{BlendConfig, Edge, FilterConfig, Kernel, KernelShape, Method, blend, filter};
use ugoki::{no_progress, sample};

/// Two turns on one leg amid side steps: its hips pass 180°, where signs change.
const DANCE: &str = "cmu/gesture/05_11.bvh";
const TAPS: usize = 51;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let into = std::env::args()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("ugoki-article-films"), PathBuf::from);
    std::fs::create_dir_all(&into)?;
    let dance = if let Some(captures) = std::env::var_os("UGOKI_CAPTURES") {
        let bytes = std::fs::read(PathBuf::from(captures).join(DANCE))?;
        let dance = read(&bytes, Some("bvh"), &ReadOptions::default())?.clip;
        dance.trimmed(dance.motion_frames())?
    } else {
        sample::clip("turn-left").ok_or("no such sample motion")?
    };
    let smooth = |clip: &Clip, method, taps, name: &str| -> Result<Clip, Box<dyn std::error::Error>> {
        // The article copies the frames whose window is cut; all methods here do.
        let config = FilterConfig { method, edge: Edge::Copy };
        let mut clip =
            filter(clip, &Kernel::build(&KernelShape::Box(taps))?, config, &mut no_progress())?.clip;
        clip.name = name.to_owned();
        Ok(clip)
    };
    let mut original = dance.clone();
    original.name =
        if std::env::var_os("UGOKI_CAPTURES").is_some() { "CMU 05_11" } else { "turn-left" }.to_owned();
    let films = [
        original,
        smooth(&dance, Method::Path, TAPS, "path")?,
        smooth(&dance, Method::Article, TAPS, "article")?,
        smooth(&dance, Method::QlerpRaw, TAPS, "qlerp-raw")?,
        smooth(&dance, Method::LogRaw, TAPS, "log-raw")?,
    ];
    let small = PictureConfig {
        width: 150,
        height: 200,
        view: View::Front,
        frames: Some(75),
        ..PictureConfig::default()
    };
    let list: Vec<&Clip> = films.iter().collect();
    std::fs::write(into.join("filter-methods.gif"), side_by_side_gif(&list, &small, &mut no_progress())?)?;

    let [up, back] =
        ["reach-up", "reach-back-down"].map(|name| sample::clip(name).ok_or("no such sample motion"));
    let (up, back) = (up?, back?);
    let mut half = blend(&[&up, &back], &BlendConfig::new(&[0.5, 0.5]), &mut no_progress())?.clip;
    half.name = "half of each".to_owned();
    let reach = PictureConfig {
        width: 220,
        height: 260,
        view: View::ThreeQuarter,
        frames: Some(40),
        ..PictureConfig::default()
    };
    std::fs::write(
        into.join("blend-reach.gif"),
        side_by_side_gif(&[&up, &half, &back], &reach, &mut no_progress())?,
    )?;

    let cost = |methods: &[Method]| -> Result<Plot, Box<dyn std::error::Error>> {
        let mut curves = Vec::new();
        for &method in methods {
            let mut points = Vec::new();
            for taps in [3, 5, 9, 15, 21, 31, 41, 51, 71, 101, 151, 201] {
                // The best of the runs of half a second: other work on the machine only adds.
                let (begin, mut best) = (Instant::now(), f64::INFINITY);
                while best.is_infinite() || begin.elapsed().as_secs_f64() < 0.5 {
                    let start = Instant::now();
                    std::hint::black_box(smooth(&dance, method, taps, "")?);
                    best = best.min(start.elapsed().as_secs_f64());
                }
                points.push([taps as f64, 1e6 * best / dance.num_frames() as f64]);
            }
            println!("{method}: {points:.1?}");
            curves.push(Curve { name: method.to_string(), points, dashed: method == Method::Leeshin });
        }
        Ok(Plot {
            title: "CMU 05_11, 31 joints: time per frame against the width of the window".to_owned(),
            x_label: "taps".to_owned(),
            y_label: "µs per frame".to_owned(),
            curves,
            marks: Vec::new(),
            width: 900,
            height: 360,
        })
    };
    // A search for the lowest of several minima costs a hundred times as much where windows turn far.
    let plots = [
        cost(&[Method::Path, Method::Article, Method::Expmap, Method::Qlerp, Method::Leeshin])?,
        cost(&[Method::Path, Method::Exact])?,
    ];
    std::fs::write(into.join("filter-cost.svg"), stacked_plots_svg(&plots))?;
    Ok(())
}
