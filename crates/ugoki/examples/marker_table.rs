//! The table of `docs/results/markers.md`: what becomes of every marker capture.
//!
//! `UGOKI_CAPTURES=DIR cargo run --release -p ugoki --example marker_table [FOLDER]`; contact sheets of what was
//! solved go into FOLDER when given. Without the variable it says so and ends.

use std::path::PathBuf;
use ugoki::no_progress;

use ugoki::formats::parse_label_map;
use ugoki::formats::{ReadOptions, read, read_markers};
use ugoki::picture::{PictureConfig, contact_sheet_png};
use ugoki::skeleton::leg_length;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    };
    let sheets = std::env::args().nth(1).map(PathBuf::from);
    let map = std::env::args().nth(2).map(std::fs::read_to_string).transpose()?;
    let labels = map.map(|text| parse_label_map(&text)).transpose()?;
    let options = ReadOptions { labels, ..ReadOptions::default() };
    let mut files = Vec::new();
    for set in ["c3d", "trc"] {
        for entry in std::fs::read_dir(folder.join(set))? {
            files.push(entry?.path());
        }
    }
    files.sort();
    println!(
        "| capture | markers | frames | rate | height m | leg m | what |\n|---|---|---|---|---|---|---|"
    );
    for file in files {
        let name = file.strip_prefix(&folder)?.display().to_string();
        let bytes = std::fs::read(&file)?;
        let extension = file.extension().map(|ending| ending.to_string_lossy().into_owned());
        let points = match read_markers(&bytes, extension.as_deref(), &options) {
            Ok(points) => points,
            Err(error) => {
                println!("| {name} | | | | | | {error} |");
                continue;
            }
        };
        let markers = &points.markers;
        let head =
            format!("| {name} | {} | {} | {} |", markers.labels().len(), markers.num_frames(), markers.fps());
        match read(&bytes, extension.as_deref(), &options) {
            Err(error) => println!("{head} | | {error} |"),
            Ok(found) => {
                let leg = leg_length(found.clip.skeleton()).unwrap_or(0.0);
                let height = found.height_metres.unwrap_or(0.0);
                let notes: Vec<String> = found
                    .findings
                    .iter()
                    .map(|finding| format!("[{}] {}", finding.code, finding.message))
                    .collect();
                println!("{head} {height:.2} | {leg:.3} | {} |", notes.join("; "));
                if let Some(sheets) = &sheets {
                    let config = PictureConfig::default();
                    let png = contact_sheet_png(&found.clip, &config, &mut no_progress())?;
                    std::fs::write(sheets.join(format!("{}.png", name.replace('/', "_"))), png)?;
                }
            }
        }
    }
    Ok(())
}
