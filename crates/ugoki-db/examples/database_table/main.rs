//! The tables of `docs/results/database.md`: import, sizes, reading, memory, and how the automatic tags agree with the
//! descriptions of the captures. Needs `UGOKI_CAPTURES`.

mod agreement;
mod many;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use ugoki_base::no_progress;

use ugoki_db::Selection;
use ugoki_db::{CreateConfig, Database, ImportConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(captures) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(());
    };
    let folder = std::env::temp_dir().join(format!("ugoki-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = tables(&captures, &folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn tables(captures: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut database = Database::create(&folder.join("captures.ugoki"), &CreateConfig::default())?;
    let config = ImportConfig { paths: vec![captures.to_owned()], ..ImportConfig::default() };
    // `-- tags` prints only how the automatic tags agree.
    if std::env::args().nth(1).as_deref() == Some("tags") {
        database.import(&config, &mut |_| ControlFlow::Continue(()))?;
        return agreement::print(&database, captures);
    }
    println!("## Import\n\n| run | seconds | files added | clips | skipped | duplicates | peak memory MB |");
    println!("|---|---|---|---|---|---|---|");
    let mut reports = Vec::new();
    for run in ["first", "second"] {
        let begun = Instant::now();
        let report = database.import(&config, &mut |_| ControlFlow::Continue(()))?;
        println!(
            "| {run} | {:.2} | {} | {} | {} | {} | {} |",
            begun.elapsed().as_secs_f64(),
            report.added.len(),
            report.added.iter().map(|added| added.clips.len()).sum::<usize>(),
            report.skipped.len(),
            report.duplicates.len(),
            peak_memory_mb()
        );
        reports.push(report);
    }
    println!("\n## Not imported\n");
    for skipped in &reports[0].skipped {
        let file = skipped.problem.file.as_deref().unwrap_or_default();
        let file = file.strip_prefix(&*captures.to_string_lossy()).unwrap_or(file);
        println!("- `{}`: {}", file.trim_start_matches('/'), skipped.problem.message);
    }
    println!("\nKept only on their own skeleton:\n");
    for reason in reports[0].added.iter().flat_map(|added| &added.underived) {
        println!("- {reason}");
    }
    println!("\nDuplicates found:\n");
    for duplicate in &reports[0].duplicates {
        println!("- {} = {} ({:?})", duplicate.clip, duplicate.of, duplicate.how);
    }
    sizes(&database, captures)?;
    reading(&database)?;
    let begun = Instant::now();
    let checked = database.check(&mut no_progress())?;
    println!(
        "\n`db check`: {} clips, {} broken, largest error {:.4} mm ({}), {:.1} s",
        checked.clips,
        checked.broken.len(),
        checked.largest_error_mm,
        checked.worst.unwrap_or_default(),
        begun.elapsed().as_secs_f64()
    );
    for broken in checked.broken {
        println!("- {}: {}", broken.name, broken.message);
    }
    agreement::print(&database, captures)?;
    many::print(folder)
}

/// Bytes of the forms against raw f32.
fn sizes(database: &Database, captures: &Path) -> Result<(), Box<dyn Error>> {
    let (mut raw_source, mut source, mut raw_derived, mut derived, mut files) = (0, 0, 0, 0, 0);
    for row in database.list(&Selection::default())? {
        let details = database.details(row.id)?;
        let raw = |joints: usize, frames: usize| frames * (joints * 16 + 12);
        raw_source += raw(details.source_joints, details.source_frames);
        source += details.source_bytes;
        if let Some(bytes) = details.derived_bytes {
            raw_derived += raw(22, row.frames);
            derived += bytes;
        }
        if details.take == 0
            && let Some(file) = &details.file
        {
            let path = database.path().parent().unwrap_or(captures).join(&file.path);
            files += path.metadata().map_or(0, |data| data.len() as usize);
        }
    }
    let mb = |bytes: usize| bytes as f64 / 1e6;
    println!("\n## Size\n\n| form | MB | of raw f32 |\n|---|---|---|");
    println!("| files imported | {:.1} | |", mb(files));
    println!("| lossless sources | {:.1} | 1/{:.2} |", mb(source), raw_source as f64 / source as f64);
    println!(
        "| derived, 22 of 52 joints moving | {:.1} | 1/{:.2} |",
        mb(derived),
        raw_derived as f64 / derived as f64
    );
    println!("| database | {:.1} | |", database.path().metadata()?.len() as f64 / 1e6);
    Ok(())
}

/// Times are the best of so many runs: other work on the machine only makes them longer.
const RUNS: usize = 5;

/// Reading and unpacking.
fn reading(database: &Database) -> Result<(), Box<dyn Error>> {
    let rows = database.list(&Selection::default())?;
    let mut times: Vec<(f64, f64, f64)> = Vec::new();
    for row in rows.iter().filter(|row| row.derived && row.frames >= 100) {
        let source_frames = database.details(row.id)?.source_frames;
        let mut best = (f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..RUNS {
            let begun = Instant::now();
            let packed = database.packed(row.id)?;
            best.0 = best.0.min(begun.elapsed().as_secs_f64() * 1e6 / row.frames as f64);
            let begun = Instant::now();
            std::hint::black_box(packed.to_clip());
            best.1 = best.1.min(begun.elapsed().as_secs_f64() * 1e6 / row.frames as f64);
            let begun = Instant::now();
            std::hint::black_box(database.source(row.id)?);
            best.2 = best.2.min(begun.elapsed().as_secs_f64() * 1e6 / source_frames as f64);
        }
        times.push(best);
    }
    println!("\n## Reading, ms per 1,000 frames, {} clips of 100 frames and more\n", times.len());
    println!("| what | median | worst |\n|---|---|---|");
    let columns: [(&str, Vec<f64>); 3] = [
        ("open a derived clip: blob read and unpacked", times.iter().map(|t| t.0).collect()),
        ("all its frames as plain poses", times.iter().map(|t| t.1).collect()),
        ("read and decode the lossless source", times.iter().map(|t| t.2).collect()),
    ];
    for (what, values) in columns {
        let median = ugoki_base::math::median(&values).unwrap_or(0.0);
        println!("| {what} | {median:.3} | {:.3} |", values.iter().copied().fold(0.0, f64::max));
    }
    Ok(())
}

/// The most memory this process ever had, MB; 0 where the system does not say.
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
