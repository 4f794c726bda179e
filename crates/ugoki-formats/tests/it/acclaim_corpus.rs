//! Replays the fuzz corpora of Acclaim, DeepMimic and FBX on stable Rust: the properties of `fuzz/fuzz_targets`.

use std::path::Path;

use ugoki_base::clip::Clip;
use ugoki_formats::acclaim::{read_amc, read_asf};
use ugoki_formats::{ReadOptions, deepmimic, fbx};

const BETWEEN: &[u8] = b"\n===\n";

fn assert_finite(clip: &Clip) {
    for frame in 0..clip.num_frames().min(8) {
        assert!(clip.model_pose(frame).positions.iter().all(|p| p.is_finite()));
    }
}

/// Runs `property` on every input of a corpus; it says whether the input was readable.
fn replay(name: &str, least: (usize, usize), property: impl Fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let (mut files, mut readable) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the corpus folder").flatten() {
        println!("{}", entry.path().display());
        files += 1;
        readable += usize::from(property(&std::fs::read(entry.path()).expect("a readable file")));
    }
    println!("{readable} of {files} inputs are readable");
    assert!(files >= least.0 && readable >= least.1, "{readable} of {files}");
}

#[test]
fn saved_acclaim_inputs_hold_the_property() {
    replay("acclaim", (20, 15), |bytes| {
        let cut = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
        let (asf, amc) = cut.map_or((bytes, bytes), |at| (&bytes[..at], &bytes[at + BETWEEN.len()..]));
        let _ = read_asf(asf, &ReadOptions::default());
        let read = read_amc(amc, &ReadOptions::default(), &mut |_| Some(asf.to_vec()));
        read.is_ok_and(|read| {
            assert_finite(&read.clip);
            true
        })
    });
}

#[test]
fn saved_deepmimic_inputs_hold_the_property() {
    replay("deepmimic", (15, 10), |bytes| {
        deepmimic::read(bytes, &ReadOptions::default()).is_ok_and(|read| {
            assert_finite(&read.clip);
            true
        })
    });
}

#[test]
fn saved_fbx_inputs_hold_the_property() {
    replay("fbx", (5, 3), |bytes| {
        fbx::read(bytes, &ReadOptions::default()).is_ok_and(|read| {
            assert_finite(&read.clip);
            true
        })
    });
}

/// The first input of the FBX corpus is the text of the tests; written here so that it stays so.
#[test]
fn the_plain_fbx_input_is_the_text_of_the_tests() {
    let rig = crate::fbx_support::Rig {
        up: 2,
        unit_cm: 1.0,
        pre_rotation: [0.0, 90.0, 0.0],
        time_mode: 6,
        turn: 90.0,
    };
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fbx/plain");
    let text = crate::fbx_support::text(&rig);
    if std::env::var_os("UGOKI_BLESS").is_some() {
        std::fs::write(&saved, &text).expect("the corpus");
    }
    assert_eq!(std::fs::read_to_string(saved).expect("the corpus"), text);
}
