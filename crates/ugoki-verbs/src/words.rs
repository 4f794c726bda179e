//! Words of reports.

/// The word as it follows a number.
pub(crate) fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// A count with its word: `1 clip`, `2 clips`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    format!("{count} {}", plural(count, word))
}

/// A number with at most so many digits after the point, without trailing zeros.
pub(crate) fn short(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A word as a shell takes it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    // A # begins a comment only where a word begins.
    if !word.is_empty() && !word.starts_with('#') && word.chars().all(|c| plain(c) || c == '#') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
