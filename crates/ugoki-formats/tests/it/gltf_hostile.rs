//! Broken and malicious glTF: an error or findings, never a panic, never more memory than the file could mean.

use std::path::Path;
use std::sync::LazyLock;
use ugoki_base::no_progress;

use proptest::prelude::*;
use serde_json::{Value, json};
use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_formats::{Format, ReadOptions, WriteOptions, gltf, read, write};
use ugoki_sample as sample;

fn small(format: Format) -> Vec<u8> {
    static WALK: LazyLock<Clip> = LazyLock::new(|| sample::clip("walk").unwrap().trimmed(0..12).unwrap());
    let clip = &*WALK;
    write(clip, format, &WriteOptions::default(), &mut no_progress()).unwrap().bytes
}

fn open(bytes: &[u8]) -> Result<usize, String> {
    read(bytes, Some("glb"), &ReadOptions::default())
        .map(|read| read.clip.num_frames())
        .map_err(|e| e.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn scratched_files_do_not_panic(seed in any::<u64>(), kind in 0usize..4) {
        let mut bytes = small([Format::Glb, Format::Gltf, Format::Vrm, Format::Vrma][kind]);
        let mut random = Random::new(seed);
        for _ in 0..1 + random.index(6) {
            let at = random.index(bytes.len());
            match random.index(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = random.index(256) as u8,
                2 => bytes[at] = b"0123456789-e.[]{}\","[random.index(19)],
                // Digits grow into huge numbers.
                _ => { bytes.insert(at, b'9'); }
            }
        }
        let _ = open(&bytes);
    }
}

/// The walk as JSON, to be broken at one place.
fn broken(change: impl FnOnce(&mut Value)) -> Result<usize, String> {
    let mut json: Value = serde_json::from_slice(&small(Format::Gltf)).unwrap();
    change(&mut json);
    open(json.to_string().as_bytes())
}

#[test]
fn sizes_that_lie_are_refused() {
    assert_eq!(broken(|_| {}), Ok(12));
    for count in [13u64, 1 << 20, 1 << 40, u64::MAX] {
        let result = broken(|json| {
            let output = json["animations"][0]["samplers"][0]["output"].as_u64().unwrap() as usize;
            json["accessors"][output]["count"] = json!(count);
        });
        assert!(result.is_err(), "{count}");
        // Without a buffer an accessor is zeros, as many as one likes.
        let result = broken(|json| {
            for accessor in json["accessors"].as_array_mut().unwrap() {
                accessor["count"] = json!(count);
                accessor.as_object_mut().unwrap().remove("bufferView");
            }
        });
        assert!(result.is_err() || result == Ok(1), "{count}: {result:?}");
    }
    for place in [u64::MAX, u64::MAX - 3, 1 << 30] {
        let all = |json: &mut Value| {
            for view in json["bufferViews"].as_array_mut().unwrap() {
                view["byteOffset"] = json!(place);
            }
        };
        assert!(broken(all).is_err(), "{place}");
    }
    assert!(broken(|json| json["buffers"][0]["uri"] = json!("data:;base64,!!")).is_err());
    assert!(broken(|json| json["animations"][0]["channels"][0]["sampler"] = json!(99_999)).is_err());
}

#[test]
fn invalid_trees_are_survived() {
    let cycle = broken(|json| json["nodes"][3]["children"] = json!([2, 3, 1, 77_777]));
    assert!(cycle.is_ok(), "{cycle:?}");
    assert!(broken(|json| json["nodes"] = json!([])).is_err());
    assert!(broken(|json| json["skins"][0]["joints"] = json!([1, 2, 3, 88_888])).is_ok());
    // A chain of 60,000 joints one below the other.
    let nodes: Vec<Value> =
        (0..60_000).map(|i| if i < 59_999 { json!({"children": [i + 1]}) } else { json!({}) }).collect();
    let joints: Vec<usize> = (0..60_000).collect();
    let deep = json!({"asset": {"version": "2.0"}, "nodes": nodes, "skins": [{"joints": joints}]});
    assert_eq!(open(deep.to_string().as_bytes()), Ok(1));
    assert!(broken(|json| json["nodes"][2]["scale"] = json!([0.0, 0.0, 0.0])).is_ok());
    assert!(broken(|json| json["nodes"][2]["translation"] = json!([1e300, 0.0, 0.0])).is_err());
}

#[test]
fn distant_keys_do_not_make_years_of_frames() {
    let result = broken(|json| {
        json["animations"][0]["extras"] = json!({"fps": 1e9});
    });
    assert!(result.is_err(), "{result:?}");
    let result = broken(|json| json["animations"][0]["extras"] = json!({"fps": -3.0}));
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn wrong_containers_are_named() {
    let error = |bytes: &[u8]| open(bytes).unwrap_err();
    assert!(error(b"glTF").contains("header"));
    assert!(error(b"glTF\x01\0\0\0\x14\0\0\0").contains("version 1"));
    assert!(error(br#"{"asset": {"version": "1.0"}, "nodes": []}"#).contains("1.0"));
    assert!(error(br#"{"asset": {"version": "2.0"}, "nodes": ["#).contains("broken"));
    assert!(error(br#"{"asset": {"version": "2.0"}, "nodes": [{}]}"#).contains("skeleton"));
}

/// The property of `fuzz/fuzz_targets/gltf.rs` over its saved inputs, on stable Rust.
#[test]
fn saved_fuzz_inputs_read_and_write_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/gltf");
    let (mut files, mut readable) = (0, 0);
    let mut go_on = ugoki_base::no_progress();
    let options = WriteOptions::default();
    for entry in std::fs::read_dir(folder).expect("the corpus folder").flatten() {
        println!("{}", entry.path().display());
        files += 1;
        let bytes = std::fs::read(entry.path()).expect("a readable file");
        let Ok(first) = gltf::read(&bytes, &ReadOptions::default(), &mut |_| None) else { continue };
        readable += 1;
        let written = write(&first.clip, Format::Glb, &options, &mut go_on).expect("any clip is a GLB");
        let second = read(&written.bytes, None, &ReadOptions::default()).expect("what we write we read");
        assert_eq!(first.clip.num_joints(), second.clip.num_joints());
        assert_eq!(first.clip.num_frames(), second.clip.num_frames());
        let _ = write(&first.clip, Format::Vrma, &options, &mut go_on);
    }
    println!("{readable} of {files} inputs are readable");
    assert!(files >= 17 && readable >= 13, "{readable} of {files}");
}
