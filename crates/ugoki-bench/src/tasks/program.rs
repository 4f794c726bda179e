//! The program as a whole: how long it takes to start, and how much memory it needs.
//!
//! `UGOKI_BENCH_PROGRAM` names the binary; without it nothing is measured here.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::clock::Bench;
use crate::data::walk_bvh;

const STARTS: usize = 50;

pub(crate) fn measure(bench: &mut Bench) {
    let Some(program) = std::env::var_os("UGOKI_BENCH_PROGRAM") else {
        println!("program: UGOKI_BENCH_PROGRAM is not set, nothing measured");
        return;
    };
    let start = |arguments: &[&str]| {
        let begun = Instant::now();
        let done = Command::new(&program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        assert!(done, "{} {arguments:?} fails", program.display());
        begun.elapsed().as_nanos() as f64
    };
    let starts = if bench.smoke { 1 } else { STARTS };
    bench.tell("program.start", "", 1, (0..starts).map(|_| start(&["--version"])).collect());
    bench.tell("program.start", "`true`, which does nothing", 1, (0..starts).map(|_| idle()).collect());
    let folder = std::env::temp_dir().join(format!("ugoki-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for &frames in bench.sizes(&[100, 300, 1000, 3000, 10_000, 100_000]) {
        let file = folder.join("walk.bvh");
        std::fs::write(&file, walk_bvh(frames).expect("the sample walk")).expect("a file");
        let name = file.to_str().expect("a plain name");
        let runs = if bench.smoke { 1 } else { 5 };
        bench.tell("program.info", "", frames, (0..runs).map(|_| start(&["info", name])).collect());
        if let Some(bytes) = peak(&program, &["info", name]) {
            bench.tell("program.memory", "", frames, vec![bytes]);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// How long a process takes that does nothing.
fn idle() -> f64 {
    let begun = Instant::now();
    let _ = Command::new("true").status();
    begun.elapsed().as_nanos() as f64
}

/// Greatest resident memory of a run, bytes, where `time -v` can tell.
fn peak(program: &std::ffi::OsStr, arguments: &[&str]) -> Option<f64> {
    let output =
        Command::new("/usr/bin/time").args(["-f", "%M"]).arg(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().last()?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}
