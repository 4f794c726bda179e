//! Automatic tags against the descriptions of the captures, as the collection's list has them.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use ugoki_db::ClipRow;
use ugoki_db::Database;

/// What descriptions say about a tag: with one of the words of `yes` a clip should have it, with one of `no`, and none
/// of `yes`, it should not; with one of `unless` nothing is said.
struct Claim {
    tag: &'static str,
    yes: &'static [&'static str],
    no: &'static [&'static str],
    unless: &'static [&'static str],
}

/// Words of motions on one spot.
const STILL: &[&str] = &[
    "standing",
    "static",
    "balance on",
    "playing",
    "writing",
    "drum",
    "squats",
    "shrug",
    "golf",
    "wave",
    "boxing",
    "arm raise",
    "t-pose reference",
    "violin",
];
/// Words of motions that do not walk, run or jump.
const NO_GAIT: &[&str] = &[
    "standing",
    "static",
    "balance on",
    "playing",
    "writing",
    "drum",
    "squats",
    "shrug",
    "golf",
    "wave",
    "boxing",
    "arm raise",
    "t-pose reference",
    "violin",
    "kick",
    "punch",
    "turn in place",
    "teapot",
    "pick up box",
    "vacuum",
    "pitch",
    "throw",
];

const CLAIMS: &[Claim] = &[
    Claim {
        tag: "walk",
        yes: &["walk", "gait", "suitcase", "climb", "slope", "stepping over", "stairs"],
        no: &[
            "standing",
            "static",
            "balance on",
            "playing",
            "writing",
            "drum",
            "squats",
            "shrug",
            "golf",
            "wave",
            "boxing",
            "arm raise",
            "t-pose reference",
            "violin",
            "kick",
            "punch",
            "turn in place",
            "teapot",
            "vacuum",
            "backflip",
            "jump in place",
            "run",
            "jog",
            "fall",
        ],
        // Motions that stop or begin to run, or run up to a ball, may walk; so may a walk between two jumps.
        unless: &["stop", "jog to", "to jog", "soccer", "jump,"],
    },
    Claim { tag: "run", yes: &["run", "jog"], no: &[], unless: &["run-up", "soccer"] },
    Claim { tag: "jump", yes: &["jump", "backflip"], no: &[], unless: &["channel jumps"] },
    Claim {
        tag: "moving",
        yes: &["walk", "run", "jog", "climb", "slope", "suitcase", "gait"],
        no: STILL,
        unless: &["in place", "cycle", "stylised", "run-up"],
    },
    Claim { tag: "in-place", yes: &["walk cycle", "stylised walk"], no: STILL, unless: &[] },
    Claim {
        tag: "standing",
        yes: STILL,
        no: &["walk", "run", "jog", "climb", "slope", "suitcase", "gait", "jump forward", "long jump"],
        unless: &["jump", "run-up"],
    },
    Claim {
        tag: "turn-left",
        yes: &["left turn", "veer left", "360 deg left"],
        no: &["veer right", "right turn"],
        unless: &[],
    },
    Claim {
        tag: "turn-right",
        yes: &["right turn", "veer right"],
        no: &["veer left", "left turn"],
        unless: &[],
    },
    Claim {
        tag: "turn-in-place",
        yes: &["turn in place", "pirouette", "spin"],
        no: &["static", "straight walk"],
        unless: &[],
    },
    Claim { tag: "backwards", yes: &["backwards"], no: &["straight walk", "jog", "static"], unless: &[] },
    Claim {
        tag: "sideways",
        yes: &["sideways", "sidestep", "side steps"],
        no: &["straight walk", "jog", "static"],
        unless: &[],
    },
    Claim {
        tag: "up",
        yes: &["forward and up", "stairs", "slope"],
        no: &["straight walk", "static"],
        unless: &[],
    },
    Claim {
        tag: "down",
        yes: &["forward and down", "off ledge"],
        no: &["straight walk", "static"],
        unless: &[],
    },
    Claim {
        tag: "pose",
        yes: &["one frame", "single frame", "single pose"],
        no: &["walk", "jog"],
        unless: &[],
    },
];

/// A third of the clips, drawn at random before any threshold of gait was chosen; they were not looked at meanwhile.
const HELD_OUT: &[&str] = &[
    "02_04",
    "05_11",
    "08_02",
    "104_06",
    "104_09",
    "10_01",
    "10_03",
    "115_01",
    "118_03",
    "11_01",
    "11_01-2",
    "124_01",
    "124_13",
    "141_11",
    "16_03",
    "16_11",
    "16_36",
    "18_08",
    "22_12",
    "49_14",
    "69_53",
    "74_04",
    "74_14",
    "77_02",
    "79_08",
    "79_17",
    "79_31",
    "80_48",
    "82_18",
    "83_08",
    "83_25",
    "83_42",
    "93_05",
    "animutils_custom_72fps",
    "animutils_mh_cmu_1frame",
    "biovision_classic_example",
    "blender_walk_exponents",
    "fairmotion_pfnn_hierarchy",
    "humanoid3d_jump",
    "humanoid3d_run",
    "humanoid3d_walk",
    "makehuman_walk1",
    "makehuman_zombiewalk",
    "mocapbank_crlf",
    "mocapbank_lf",
    "mstudio_pose_markers-2",
    "npybvh_example",
    "pybvh_yxz_crlf",
];

/// How one claim did on some clips.
#[derive(Default)]
struct Score {
    yes: usize,
    found: usize,
    no: usize,
    wrong: usize,
    failures: Vec<String>,
}

impl Claim {
    fn judge(&self, row: &ClipRow, text: &str, score: &mut Score) {
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let tagged = row.tags.iter().any(|tag| tag == self.tag);
        let no = match self.tag {
            "run" => has(NO_GAIT) || has(&["walk", "gait", "jump in place", "backflip"]),
            "jump" => has(NO_GAIT) || has(&["walk", "gait"]),
            _ => has(self.no),
        };
        if has(self.unless) {
        } else if has(self.yes) {
            score.yes += 1;
            score.found += usize::from(tagged);
            if !tagged {
                score.failures.push(format!("−{}", row.name));
            }
        } else if no {
            score.no += 1;
            score.wrong += usize::from(tagged);
            if tagged {
                score.failures.push(format!("+{}", row.name));
            }
        }
    }
}

pub(crate) fn print(database: &Database, captures: &Path) -> Result<(), Box<dyn Error>> {
    let mut described: HashMap<String, String> = HashMap::new();
    for line in std::fs::read_to_string(captures.join("MANIFEST.tsv"))?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if let (Some(path), Some(text)) = (columns.first(), columns.get(7)) {
            described.insert((*path).to_owned(), text.to_lowercase());
        }
    }
    let text_of = |row: &ClipRow| {
        let source = row.source.as_deref()?;
        described.iter().find(|(path, _)| source.ends_with(path.as_str())).map(|(_, text)| text.clone())
    };
    let mut rows = database.list(&Default::default())?;
    rows.retain(|row| row.derived);
    // What the file itself says about its takes is not what the program found.
    for row in &mut rows {
        row.tags = database.tags(row.id, true)?;
    }
    let held = |row: &ClipRow| HELD_OUT.contains(&row.name.as_str());
    println!("\n## Automatic tags against the descriptions of the captures\n");
    println!(
        "{} clips, {} of them held out. − missed, + given wrongly.\n",
        rows.len(),
        rows.iter().filter(|row| held(row)).count()
    );
    println!(
        "| tag | said, found | denied, given | held out: said, found | denied, given | failures | failures held out |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut sums = [[0; 4]; 2];
    for claim in CLAIMS {
        let mut scores = [Score::default(), Score::default()];
        for row in &rows {
            if let Some(text) = text_of(row) {
                claim.judge(row, &text, &mut scores[usize::from(held(row))]);
            }
        }
        for (sum, score) in sums.iter_mut().zip(&scores) {
            for (total, value) in sum.iter_mut().zip([score.yes, score.found, score.no, score.wrong]) {
                *total += value;
            }
        }
        let [a, b] = &scores;
        println!(
            "| `{}` | {}, {} | {}, {} | {}, {} | {}, {} | {} | {} |",
            claim.tag,
            a.yes,
            a.found,
            a.no,
            a.wrong,
            b.yes,
            b.found,
            b.no,
            b.wrong,
            a.failures.join(" "),
            b.failures.join(" ")
        );
    }
    let [a, b] = sums;
    println!(
        "| all | {}, {} | {}, {} | {}, {} | {}, {} | | |",
        a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]
    );
    Ok(())
}
