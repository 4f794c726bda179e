//! The marker files of the captures.

use std::path::PathBuf;

use glam::Vec3;
use ugoki_base::math::median;
use ugoki_base::skeleton::Role;
use ugoki_formats::{ReadMarkers, ReadOptions, Severity, parse_label_map, read, read_markers};

fn folder(checks: usize) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

fn load(folder: &std::path::Path, name: &str) -> (Vec<u8>, ReadMarkers) {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let markers = read_markers(&bytes, None, &ReadOptions::default()).unwrap();
    (bytes, markers)
}

fn positions(markers: &ReadMarkers, label: &str) -> Vec<Option<Vec3>> {
    let index = markers.markers.labels().iter().position(|known| known == label).unwrap();
    (0..markers.markers.num_frames()).map(|f| markers.markers.get(index, f)).collect()
}

/// One step of the integers in `sample02_*`, metres.
const STEP_M: f32 = 0.000_281_182;

#[test]
fn four_encodings_of_one_trial_give_the_same_points() {
    let Some(folder) = folder(4) else { return };
    let names = ["pc_real", "dec_real", "pc_int", "sgi_int"];
    let all = names.map(|name| load(&folder, &format!("c3d/sample02_{name}.c3d")).1.markers);
    assert_eq!((all[0].labels().len(), all[0].num_frames(), all[0].fps()), (36, 89, 50.0));
    let (mut seen, mut cut) = (0, 0);
    for marker in 0..36 {
        for frame in 0..89 {
            let [intel, dec, integer, sgi] = [0, 1, 2, 3].map(|i: usize| all[i].get(marker, frame));
            // To the last bit between processors.
            assert_eq!(intel, dec, "marker {marker}, frame {frame}");
            assert_eq!(integer, sgi, "marker {marker}, frame {frame}");
            assert_eq!(intel.is_some(), integer.is_some());
            let (Some(real), Some(integer)) = (intel, integer) else { continue };
            seen += 1;
            // The integer files truncate 2009.99991 to 2009: 58 positions are one step short.
            let apart = (real - integer).abs().max_element();
            assert!(apart < 1e-6 || (apart - STEP_M).abs() < 1e-6, "{apart} m");
            cut += usize::from(apart > 1e-6);
        }
    }
    println!("{seen} positions, {cut} of them one step short");
    assert!(seen > 36 * 80 && cut == 58, "{seen}, {cut}");
}

#[test]
fn c3d_and_trc_of_one_trial_agree_to_the_digits_kept() {
    let Some(folder) = folder(2) else { return };
    let (_, c3d) = load(&folder, "c3d/mstudio_pose_markers.c3d");
    let (_, trc) = load(&folder, "trc/mstudio_pose_markers.trc");
    assert_eq!(c3d.markers.num_frames(), trc.markers.num_frames());
    assert_eq!(c3d.markers.fps(), trc.markers.fps());
    assert_eq!((c3d.up, trc.up), (ugoki_formats::UpAxis::Y, ugoki_formats::UpAxis::Y));
    let mut worst: f32 = 0.0;
    for label in c3d.markers.labels() {
        for (a, b) in positions(&c3d, label).iter().zip(positions(&trc, label)) {
            if let (Some(a), Some(b)) = (a, b) {
                worst = worst.max((*a - b).abs().max_element());
            }
        }
    }
    // The C3D keeps whole millimetres, cut off.
    assert!(worst <= 0.00101, "{worst} m");
}

#[test]
fn hips_knees_and_ankles_agree_with_plug_in_gaits_own() {
    let Some(folder) = folder(6) else { return };
    let (bytes, markers) = load(&folder, "c3d/sample09_plugin_fullbody.c3d");
    let clip = read(&bytes, None, &ReadOptions::default()).unwrap().clip;
    // Vicon's model kept its joint centres in the file: FEP hip, FEO knee, TIO ankle.
    for (label, role, bound_mm) in [
        ("LFEP", Role::LeftUpperLeg, 25.0),
        ("RFEP", Role::RightUpperLeg, 25.0),
        ("LFEO", Role::LeftLowerLeg, 25.0),
        ("RFEO", Role::RightLowerLeg, 25.0),
        ("LTIO", Role::LeftFoot, 25.0),
        ("RTIO", Role::RightFoot, 25.0),
    ] {
        let path = clip.joint_path(clip.skeleton().find(role).unwrap());
        let apart: Vec<f64> = positions(&markers, label)
            .iter()
            .zip(&path)
            .filter_map(|(a, b)| Some(1e3 * f64::from((*a)?.distance(*b))))
            .collect();
        let middle = median(&apart).unwrap();
        println!("{label}: {middle:.1} mm over {} frames", apart.len());
        // Vicon had the legs and widths measured; here they are guessed from the markers.
        assert!(middle < bound_mm, "{label}: {middle:.1} mm");
    }
}

#[test]
fn every_marker_capture_is_solved_or_refused_with_a_reason() {
    let Some(folder) = folder(13) else { return };
    let (mut solved, mut refused) = (Vec::new(), Vec::new());
    for set in ["c3d", "trc"] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder.join(set)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&file).unwrap();
            match read(&bytes, Some(set), &ReadOptions::default()) {
                Ok(found) => {
                    let bad: Vec<_> =
                        found.findings.iter().filter(|f| f.severity == Severity::Error).collect();
                    assert!(bad.is_empty(), "{name}: {bad:?}");
                    let height = found.height_metres.unwrap();
                    assert!((1.4..2.1).contains(&height), "{name} is {height} m tall");
                    assert!(found.markers.is_some());
                    solved.push(name);
                }
                Err(error) => {
                    assert!(error.to_string().contains("labels"), "{name}: {error}");
                    refused.push(name);
                }
            }
        }
    }
    println!("solved {solved:?}\nrefused {refused:?}");
    let expected = [
        "mstudio_pose_markers",
        "sample09_plugin_fullbody",
        "motek_ballet_reduced",
        "motek_tpose",
        "mstudio_pose_markers",
        "opensim_gait_crlf",
    ];
    assert_eq!(solved, expected);
    assert_eq!(refused.len(), 7);
}

#[test]
fn a_label_map_makes_a_leg_of_labels_without_sides() {
    let Some(folder) = folder(1) else { return };
    let bytes = std::fs::read(folder.join("trc/opensim_nan_cases.trc")).unwrap();
    let map = "[markers]\nrASIS = \"right asis\"\nlASIS = \"left asis\"\nrPSIS = \"right psis\"\nlPSIS = \"left psis\"\n\
        latKnee = \"right knee lateral\"\nmedKnee = \"right knee medial\"\nlatAnkle = \"right ankle lateral\"\n\
        medAnkle = \"right ankle medial\"\nheel = \"right heel\"\ntoe = \"right forefoot\"\ntibia = \"right shank\"\n";
    let labels = Some(parse_label_map(map).unwrap());
    let found = read(&bytes, Some("trc"), &ReadOptions { labels, ..ReadOptions::default() }).unwrap();
    assert!(found.clip.skeleton().find(Role::RightFoot).is_some());
    assert!(found.clip.skeleton().find(Role::LeftFoot).is_none());
}
