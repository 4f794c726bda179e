//! Whatever Acclaim, DeepMimic and FBX files claim, memory follows the bytes that are there.

use ugoki_formats::{ReadOptions, read_with};
use ugoki_testing::peak_bytes;

/// Peak bytes beyond the files while reading `bytes` with `asf` as its skeleton.
fn peak(extension: &str, bytes: &[u8], asf: &[u8]) -> usize {
    peak_bytes(|| {
        drop(read_with(bytes, Some(extension), &ReadOptions::default(), &mut |_| Some(asf.to_vec())));
    })
}

/// Bytes of memory per byte of file, and bytes that any file may take. Poses are bounded by 32 bytes per byte; bones take
/// some 400 bytes each from at least 20 bytes of text; FBX may take 64 MiB for the file, for samples and for poses.
const PER_BYTE: usize = 64;
const FREE: usize = 8 << 20;
const FREE_FBX: usize = 200 << 20;

#[test]
fn memory_is_bounded_by_the_file() {
    let bones = |count: usize| {
        let mut text = String::from(":root\norder TX RX\n:bonedata\n");
        for i in 0..count {
            text.push_str(&format!("begin\nname b{i}\ndirection 0 1 0\nlength 1\ndof rx\nend\n"));
        }
        text.push_str(":hierarchy\nbegin\nroot b0\n");
        for i in 1..count {
            text.push_str(&format!("b{} b{i}\n", i - 1));
        }
        text + "end\n"
    };
    let small = bones(3);
    let many = bones(5000);
    let frames = |count: usize| (1..=count).map(|i| format!("{i}\n")).collect::<String>();
    let rig =
        crate::fbx_support::Rig { up: 1, unit_cm: 1.0, pre_rotation: [0.0; 3], time_mode: 6, turn: 1.0 };
    let fbx = crate::fbx_support::text(&rig);
    let cases: Vec<(&str, &str, String, &str)> = vec![
        ("many bones", "asf", many.clone(), ""),
        ("200,000 empty bones", "asf", format!(":bonedata\n{}", "begin\nend\n".repeat(200_000)), ""),
        ("a million names", "asf", format!(":root\n:hierarchy\nbegin\nroot {}", "a ".repeat(500_000)), ""),
        (
            "a million lines of hierarchy",
            "asf",
            format!(":root\n:hierarchy\nbegin\n{}", "a b\n".repeat(300_000)),
            "",
        ),
        ("empty frames", "amc", format!(":DEGREES\n{}", frames(200_000)), &small),
        ("empty frames of many bones", "amc", format!(":DEGREES\n{}", frames(100_000)), &many),
        ("unknown bones", "amc", format!(":DEGREES\n1\n{}", "x 1\n".repeat(300_000)), &small),
        ("one long row", "amc", format!(":DEGREES\n1\nb0 {}", "1 ".repeat(500_000)), &small),
        ("empty lists", "txt", format!("{{\"Loop\":\"wrap\",\"Frames\":[{}[]]}}", "[],".repeat(300_000)), ""),
        ("short lists", "txt", format!("{{\"Frames\":[{}[1]]}}", "[1,2],".repeat(200_000)), ""),
        ("deep lists", "txt", format!("{{\"Loop\":{},\"Frames\":[]}}", "[".repeat(100_000)), ""),
        (
            "an hour per frame",
            "txt",
            {
                let row = |d: f64| format!("[{d},0,0,0{}]", ",1,0,0,0".repeat(10));
                format!(
                    "{{\"Frames\":[{},{},{}]}}",
                    row(3600.0),
                    row(0.001),
                    [row(0.001), row(0.001), row(0.001)].join(",")
                )
            },
            "",
        ),
        ("endless take", "fbx", fbx.replace("46186158000", "4618615800000000000"), ""),
        ("a long take", "fbx", fbx.replace("46186158000", "461861580000000"), ""),
        ("huge array", "fbx", fbx.replace("KeyTime: *2", "KeyTime: *2000000000"), ""),
        (
            "deep nodes",
            "fbx",
            format!("; FBX 7.4.0\nFBXHeaderExtension: {{ FBXVersion: 7400\n{}", "a: {".repeat(100_000)),
            "",
        ),
    ];
    for (name, extension, text, asf) in cases {
        let size = text.len() + asf.len();
        let peak = peak(extension, text.as_bytes(), asf.as_bytes());
        println!("{name}: {size} bytes, peak {peak} ({:.1} per byte)", peak as f64 / size as f64);
        let free = if extension == "fbx" { FREE_FBX } else { FREE };
        assert!(peak <= PER_BYTE * size + free, "{name}: {peak} bytes for files of {size}");
    }
}
