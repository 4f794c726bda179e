//! Plain English: words of a private dialect are counted in code, documentation, page and messages. The counts in
//! `scripts/words.tsv` may only fall; `UGOKI_WRITE=1` writes lower ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Words and phrases to replace, in lower case. A phrase matches whole words; `_` in identifiers separates words.
const AVOIDED: &[(&str, &str)] = &[
    ("told", "reported"),
    ("tells", "reports, says"),
    ("is told", "is reported"),
    ("anew", "again"),
    ("beside", "next to, compared with"),
    ("law", "property"),
    ("laws", "properties"),
    ("wish", "target, request"),
    ("wishes", "targets, requests"),
    ("which is none", "not a …"),
    ("that is none", "not a …"),
    ("that are none", "invalid"),
    ("nobody", "no joint, no program"),
    ("whoever", "any … that"),
    ("somebody", "a performer, a program"),
    ("oddity", "finding, warning"),
    ("oddities", "findings, warnings"),
    ("deed", "operation"),
    ("whole deed", "entry point"),
    ("looks ahead", "rollouts"),
    ("share", "ratio, weight, part, progress"),
    ("shares", "ratios, weights, parts"),
    ("stretch", "interval, gap"),
    ("stretches", "intervals, gaps"),
    ("calmer", "lower gain on the upper bands"),
    ("more nervous", "higher gain on the upper bands"),
    ("no more seen", "tracking lost"),
    ("of no use", "unusable"),
    ("clippy asks for", "squash it into its cause"),
    ("fresh eyes", "a review"),
    ("fn of", "new, from_…, build_…"),
    ("who", "which, that"),
    ("wants", "requests, needs"),
    ("on the way", "meanwhile"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Sources, documentation and the page; not generated files, licences, or the list itself.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    const SKIPPED: [&str; 8] =
        ["target", "node_modules", "dist", "dist-new", "corpus", ".git", "images", "proptest-regressions"];
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                texts(&path, found);
            }
        } else if [".rs", ".md", ".txt", ".ts", ".mjs", ".toml", ".sh", ".py", ".css", ".html", ".sql"]
            .iter()
            .any(|ending| name.ends_with(ending))
            && !["words.rs", "_verbs.py"].contains(&name.as_str())
        {
            found.push(path);
        }
    }
}

/// Lower-case words with one space between them and around all of them.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    let mut before = ' ';
    for c in text.chars() {
        // A capital inside a name begins a word.
        if c.is_uppercase() && before.is_lowercase() && !out.ends_with(' ') {
            out.push(' ');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
        before = c;
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

fn counted(text: &str, phrase: &str) -> usize {
    text.match_indices(&format!(" {phrase} ")).count()
}

#[test]
fn words_of_the_dialect_only_become_fewer() {
    let mut files = Vec::new();
    texts(&root(), &mut files);
    assert!(files.len() > 100, "only {} files found", files.len());
    let mut counts: BTreeMap<&str, usize> = AVOIDED.iter().map(|(phrase, _)| (*phrase, 0)).collect();
    for file in &files {
        let text = words(&fs::read_to_string(file).unwrap_or_default());
        for (phrase, count) in &mut counts {
            *count += counted(&text, phrase);
        }
    }
    let list = root().join("scripts/words.tsv");
    let known: BTreeMap<String, usize> = fs::read_to_string(&list)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(phrase, count)| Some((phrase.to_owned(), count.parse().ok()?)))
        .collect();
    let more: Vec<String> = AVOIDED
        .iter()
        .filter(|(phrase, _)| known.get(*phrase).is_some_and(|known| counts[phrase] > *known))
        .map(|(phrase, better)| {
            format!("{phrase:?}: {} uses, {} allowed; write {better}", counts[phrase], known[*phrase])
        })
        .collect();
    assert!(more.is_empty(), "{}", more.join("\n"));
    let fewer = counts.iter().any(|(phrase, count)| known.get(*phrase) != Some(count));
    if fewer && std::env::var_os("UGOKI_WRITE").is_some() {
        let lines: String = counts.iter().map(|(phrase, count)| format!("{phrase}\t{count}\n")).collect();
        fs::write(&list, lines).unwrap();
        return;
    }
    assert!(!fewer, "scripts/words.tsv has higher counts than the code; UGOKI_WRITE=1 writes the lower ones");
}

#[test]
fn names_and_sentences_are_cut_into_words() {
    assert_eq!(words("fn tell_losses(AnewLaw)"), " fn tell losses anew law ");
    assert_eq!(counted(&words("A law, Laws; outlaw"), "law"), 1);
}
