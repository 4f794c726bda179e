//! Thousands of clips: opening, listing, memory.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use ugoki_db::Selection;
use ugoki_db::{CreateConfig, Database, ImportConfig};

/// As many as CMU's collection has.
const CLIPS: usize = 2500;
/// Frames of each file: a second.
const FRAMES: usize = 60;

pub(crate) fn print(folder: &Path) -> Result<(), Box<dyn Error>> {
    let input = folder.join("many");
    std::fs::create_dir(&input)?;
    let motions = ugoki_sample::clips();
    for number in 0..CLIPS {
        let clip = &motions[number % motions.len()];
        let room = clip.num_frames().saturating_sub(FRAMES).max(1);
        let start = number / motions.len() % room;
        let part = clip.trimmed(start..(start + FRAMES).min(clip.num_frames()))?;
        let bytes = ugoki_formats::bvh::write(&part, &Default::default()).bytes;
        std::fs::write(input.join(format!("{number:04}.bvh")), bytes)?;
    }
    let path = folder.join("many.ugoki");
    let mut database = Database::create(&path, &CreateConfig::default())?;
    let config = ImportConfig { paths: vec![input], ..ImportConfig::default() };
    println!("\n## {CLIPS} clips of a second\n\n| what | ms |\n|---|---|");
    let timed =
        |what: &str, run: &mut dyn FnMut() -> Result<(), Box<dyn Error>>| -> Result<(), Box<dyn Error>> {
            let begun = Instant::now();
            run()?;
            println!("| {what} | {:.1} |", begun.elapsed().as_secs_f64() * 1e3);
            Ok(())
        };
    timed("import", &mut || {
        database.import(&config, &mut |_| ControlFlow::Continue(()))?;
        Ok(())
    })?;
    timed("import again", &mut || {
        database.import(&config, &mut |_| ControlFlow::Continue(()))?;
        Ok(())
    })?;
    drop(database);
    timed("open", &mut || {
        Database::open_read_only(&path)?;
        Ok(())
    })?;
    let database = Database::open_read_only(&path)?;
    timed("list all with tags", &mut || {
        assert_eq!(database.list(&Selection::default())?.len(), CLIPS);
        Ok(())
    })?;
    timed("find one by name", &mut || {
        database.find("1234")?;
        Ok(())
    })?;
    println!("\nPeak memory of the whole run: {} MB.", super::peak_memory_mb());
    Ok(())
}
