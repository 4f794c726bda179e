//! Automatic tags against the words of the CMU index.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use ugoki_db::Database;

/// If the description has one of the words and none of the others, the clip should have the tag.
struct Claim {
    tag: &'static str,
    words: &'static [&'static str],
    unless: &'static [&'static str],
}

/// The words are all that the index has about these things.
const CLAIMS: &[Claim] = &[
    Claim {
        tag: "moving",
        words: &["walk", "run/jog", "run", "jog", "climb", "slope", "suitcase"],
        unless: &["in place"],
    },
    Claim {
        tag: "standing",
        words: &[
            "standing",
            "static",
            "balance on",
            "playing",
            "writing",
            "drumming",
            "squats",
            "shrug",
            "swing",
            "wave",
            "boxing",
            "conversation",
            "pick",
            "in place",
        ],
        unless: &["walk", "jump"],
    },
    Claim { tag: "turn-left", words: &["left turn", "veer left"], unless: &[] },
    Claim { tag: "turn-right", words: &["right turn", "veer right"], unless: &[] },
    Claim { tag: "turn-in-place", words: &["turn in place", "pirouette"], unless: &[] },
    Claim { tag: "backwards", words: &["walk backwards"], unless: &[] },
    Claim { tag: "sideways", words: &["walk sideways"], unless: &[] },
    Claim { tag: "walk", words: &["walk"], unless: &["sideways"] },
    Claim { tag: "run", words: &["run", "jog"], unless: &["stop"] },
    Claim { tag: "jump", words: &["jump"], unless: &[] },
    Claim { tag: "up", words: &["forward and up", "stairs", "slope"], unless: &[] },
    Claim { tag: "down", words: &["forward and down", "off ledge"], unless: &[] },
];

pub(crate) fn print(database: &Database, captures: &Path) -> Result<(), Box<dyn Error>> {
    let mut described: HashMap<String, String> = HashMap::new();
    for line in std::fs::read_to_string(captures.join("MANIFEST.tsv"))?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if let (Some(path), Some(text)) = (columns.first(), columns.get(7))
            && let Some(text) = text.strip_prefix("[index: ").and_then(|rest| rest.split_once(']'))
            && let Some(stem) = Path::new(path).file_stem()
        {
            described.insert(stem.to_string_lossy().into_owned(), text.0.to_lowercase());
        }
    }
    let rows = database.list(&Default::default())?;
    println!("\n## Automatic tags against the words of CMU's index\n");
    println!(
        "Of {} descriptions; extra: the tag without the word, which need not be wrong.\n",
        described.len()
    );
    println!(
        "| tag | clips whose words say so | of these tagged | extra | not tagged |\n|---|---|---|---|---|"
    );
    for claim in CLAIMS {
        let (mut said, mut agreed, mut extra) = (0, 0, 0);
        let mut missed = Vec::new();
        for row in rows
            .iter()
            .filter(|row| row.derived && row.source.as_deref().is_some_and(|s| s.contains("/cmu/")))
        {
            let stem = row.source.as_deref().and_then(|source| Path::new(source).file_stem());
            let stem = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(text) = described.get(&stem) else { continue };
            let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
            let says = has(claim.words) && !has(claim.unless);
            let tagged = row.tags.iter().any(|tag| tag == claim.tag);
            said += usize::from(says);
            agreed += usize::from(says && tagged);
            extra += usize::from(!says && tagged);
            if says && !tagged {
                missed.push(format!("{} ({text})", row.name));
            }
        }
        println!("| `{}` | {said} | {agreed} | {extra} | {} |", claim.tag, missed.join(", "));
    }
    Ok(())
}
