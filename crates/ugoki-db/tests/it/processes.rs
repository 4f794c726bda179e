//! Several processes on one database: killed while they write, reading while another writes, building the sample at
//! once.
//!
//! The tests start this test program again as the other process: an environment variable says what it is to do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use ugoki_base::no_progress;

use crate::support::{Folder, import, names};
use ugoki_db::Selection;
use ugoki_db::{CreateConfig, Database, ImportConfig, sample_database_in};

const ROLE: &str = "UGOKI_DB_TEST_ROLE";
const PLACE: &str = "UGOKI_DB_TEST_PLACE";

/// What a started process does; a test without the variable does nothing here.
#[test]
fn other_process() {
    let (Ok(role), Ok(place)) = (std::env::var(ROLE), std::env::var(PLACE)) else { return };
    let place = Path::new(&place);
    match role.as_str() {
        "import" => import_and_print(place),
        "read" => read_until_input(place),
        "sample" => drop(sample_database_in(place).expect("a sample database")),
        other => panic!("{other} is no role"),
    }
}

fn start(role: &str, place: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "processes::other_process", "--nocapture", "--test-threads", "1"])
        .env(ROLE, role)
        .env(PLACE, place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("another process")
}

/// Imports `in`, prints each file's name once it is stored, and then waits for a line (or the end) of its input.
fn import_and_print(place: &Path) {
    let path = place.join("moves.ugoki");
    let mut database = match Database::open(&path) {
        Ok(database) => database,
        Err(_) => Database::create(&path, &CreateConfig::default()).expect("a database"),
    };
    let config = ImportConfig { paths: vec![place.join("in")], threads: Some(2), ..ImportConfig::default() };
    let mut out = std::io::stdout().lock();
    let report = database.import(&config, &mut |step| {
        if let Some(file) = step.stored {
            let stem = Path::new(file).file_stem().expect("a stem").to_string_lossy().into_owned();
            writeln!(out, "stored {stem}").and_then(|()| out.flush()).expect("a reader");
            let _ = std::io::stdin().lock().read_line(&mut String::new());
        }
        ControlFlow::Continue(())
    });
    drop(out);
    println!("done {}", report.expect("an import").added.len());
}

/// Lists and decodes again and again until its input ends; says how often.
fn read_until_input(place: &Path) {
    let input = std::thread::spawn(|| {
        let mut line = String::new();
        let _ = std::io::stdin().lock().read_line(&mut line);
    });
    let (mut rounds, mut most) = (0, 0);
    while !input.is_finished() {
        let database =
            Database::open_read_only(&place.join("moves.ugoki")).expect("reads while another writes");
        let rows = database.list(&Selection::default()).expect("a list");
        assert!(rows.len() >= most, "clips do not vanish");
        most = rows.len();
        for row in rows.iter().rev().take(3) {
            assert_eq!(database.clip(row.id).expect("a clip").num_frames(), row.frames);
            database.source(row.id).expect("a source");
        }
        rounds += 1;
    }
    println!("read {rounds}");
}

#[test]
fn killing_an_import_at_any_moment_loses_nothing_that_was_finished() {
    const FILES: usize = 24;
    const KILLS: usize = 50;
    let folder = Folder::new();
    for number in 0..FILES {
        folder.motion(&format!("in/{number:02}.bvh"), number);
    }
    let place = folder.path("");
    assert!(start("import", &place).wait().expect("an import").success());
    let complete = names(&Database::open(&folder.path("moves.ugoki")).unwrap());
    assert_eq!(complete.len(), FILES);
    let mut random = ugoki_base::math::Random::new(20_261_116);
    let (mut early, mut half, mut late) = (0, 0, 0);
    for kill in 0..KILLS {
        // Every few kills from the beginning; in between the next one goes on with what the last one left.
        if kill % 3 == 0 {
            for ending in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(folder.path(&format!("moves.ugoki{ending}")));
            }
        }
        let mut child = start("import", &place);
        // The import may finish `wanted` files and one more, however fast the machine is; the kill falls into that one.
        let wanted = random.index(FILES);
        let mut allowed = child.stdin.take().expect("a pipe");
        let _ = allowed.write_all(&vec![b'\n'; wanted]);
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut said: Vec<String> =
            lines.by_ref().filter(|line| line.contains("stored ")).take(wanted).collect();
        std::thread::sleep(Duration::from_secs_f64(
            random.range(0.0, if wanted == 0 { 0.06 } else { 0.008 }),
        ));
        child.kill().expect("kill -9");
        said.extend(lines);
        child.wait().expect("an end");
        let stored: Vec<&str> =
            said.iter().filter_map(|line| line.split_once("stored ")).map(|(_, name)| name).collect();
        if !folder.path("moves.ugoki").exists() {
            assert!(stored.is_empty());
            early += 1;
            continue;
        }
        let database = Database::open(&folder.path("moves.ugoki")).expect("the database opens");
        let report = database.check(&mut no_progress()).expect("a check");
        assert!(report.sound, "kill {kill}: {report:?}");
        let kept = names(&database);
        for name in &stored {
            assert!(kept.iter().any(|kept| kept == name), "kill {kill}: {name} was finished and is gone");
        }
        assert_eq!(kept, complete[..kept.len()], "files go in in their order");
        match kept.len() {
            0 => early += 1,
            FILES => late += 1,
            _ => half += 1,
        }
    }
    // The moments are spread over the whole import, otherwise this proves little.
    assert!(half >= KILLS / 3, "{early} before, {half} during, {late} after");
    let mut database = match Database::open(&folder.path("moves.ugoki")) {
        Ok(database) => database,
        Err(_) => folder.database(),
    };
    import(&mut database, &folder.path("in"));
    assert_eq!(names(&database), complete, "the next run brings the rest");
}

#[test]
fn two_processes_read_while_one_writes() {
    let folder = Folder::new();
    for number in 0..30 {
        folder.motion(&format!("in/{number:02}.bvh"), number);
    }
    let place = folder.path("");
    drop(folder.database());
    let mut readers = [start("read", &place), start("read", &place)];
    let writer = start("import", &place).wait_with_output().expect("an import");
    assert!(writer.status.success(), "{}", String::from_utf8_lossy(&writer.stdout));
    for reader in &mut readers {
        drop(reader.stdin.take());
    }
    for reader in readers {
        let output = reader.wait_with_output().expect("a reader");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        let rounds: usize =
            text.lines().find_map(|line| line.split_once("read ")?.1.parse().ok()).expect("a count");
        assert!(rounds > 0);
    }
    assert_eq!(Database::open(&folder.path("moves.ugoki")).unwrap().num_clips().unwrap(), 30);
}

#[test]
fn the_sample_database_is_built_once_also_by_several_at_once() {
    let folder = Folder::new();
    let cache = folder.path("cache/ugoki");
    let started: Vec<Child> = (0..3).map(|_| start("sample", &cache)).collect();
    for mut child in started {
        assert!(child.wait().expect("a process").success());
    }
    // SQLite keeps the journal of a database whose last two connections close at the same moment.
    let is_database = |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "ugoki");
    let files = std::fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.path());
    let left: Vec<_> = files.filter(is_database).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let built = std::fs::metadata(&left[0]).unwrap().modified().unwrap();
    // One of another version gives way; a damaged one is made again.
    std::fs::write(cache.join("sample-0.0.1-1.1.ugoki"), "old").unwrap();
    let database = sample_database_in(&cache).unwrap();
    assert_eq!(names(&database).len(), ugoki_sample::motions().len());
    assert_eq!(std::fs::metadata(&left[0]).unwrap().modified().unwrap(), built, "it is not built again");
    drop(database);
    std::fs::write(&left[0], "damaged").unwrap();
    let database = sample_database_in(&cache).unwrap();
    let walk = database.find("walk").unwrap();
    assert_eq!(database.source(walk).unwrap().rotations(), ugoki_sample::clip("walk").unwrap().rotations());
    assert_eq!(
        std::fs::read_dir(&cache)
            .unwrap()
            .flatten()
            .filter(|e| e.path().extension().is_some_and(|e| e == "ugoki"))
            .count(),
        1
    );
}
