//! A disk that fills up while files are taken in.

use std::fs;
use std::ops::ControlFlow;
use ugoki_base::no_progress;

use super::*;
use crate::CreateConfig;

#[test]
fn a_full_disk_keeps_what_was_finished() {
    const FILES: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::create_dir(&input).unwrap();
    for (number, clip) in ugoki_sample::clips().iter().take(FILES).enumerate() {
        let clip = clip.trimmed(0..clip.num_frames().min(120)).unwrap();
        let bytes = ugoki_formats::bvh::write(&clip, &Default::default()).bytes;
        fs::write(input.join(format!("{number:02}.bvh")), bytes).unwrap();
    }
    let path = folder.path().join("moves.ugoki");
    let mut database = Database::create(&path, &CreateConfig::default()).unwrap();
    // SQLite's own bound stands in for the disk's: the same error at the same places.
    let pages: i64 = database.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    database.connection.pragma_update_and_check(None, "max_page_count", pages + 24, |_| Ok(())).unwrap();
    let config = ImportConfig { paths: vec![input], ..ImportConfig::default() };
    let error = database.import(&config, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error, Error::Full);
    assert!(error.hint().unwrap().contains("again"));
    let kept = database.num_clips().unwrap();
    assert!(kept > 0 && kept < FILES, "{kept}");
    drop(database);
    let mut database = Database::open(&path).unwrap();
    assert!(database.check(&mut no_progress()).unwrap().sound);
    let rest = database.import(&config, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((rest.passed.unchanged, rest.added.len()), (kept, FILES - kept));
}
