//! Names of clips: made unique, found again, and suggested when mistyped.

use rusqlite::{Connection, OptionalExtension};

use crate::Error;

/// Longest name, bytes.
const LONGEST: usize = 200;
/// How many names are suggested for one that is unknown.
const SUGGESTED: usize = 3;

/// `wanted`, or with `-2`, `-3`, … where that is taken already.
pub(crate) fn unique(connection: &Connection, wanted: &str) -> Result<String, Error> {
    let base = clean(wanted);
    let mut taken = connection.prepare_cached("SELECT 1 FROM clips WHERE name = ?1")?;
    if !taken.exists([&base])? {
        return Ok(base);
    }
    let mut number = 2_u64;
    loop {
        let name = format!("{base}-{number}");
        if !taken.exists([&name])? {
            return Ok(name);
        }
        number += 1;
    }
}

/// A name that can be typed: no control characters, not empty, not too long, not mistaken for `id:17`.
fn clean(wanted: &str) -> String {
    let mut name: String =
        wanted.trim().chars().map(|c| if c.is_control() || c == '#' { '-' } else { c }).collect();
    while name.len() > LONGEST {
        name.pop();
    }
    if name.is_empty() {
        name.push_str("clip");
    }
    if let Some(number) = name.strip_prefix("id:") {
        name = format!("id-{number}");
    }
    name
}

/// The id of the clip called `name`, or with the number in `id:17`.
pub(crate) fn find(connection: &Connection, name: &str) -> Result<i64, Error> {
    let by_name = connection
        .prepare_cached("SELECT id FROM clips WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(id) = by_name {
        return Ok(id);
    }
    if let Some(number) = name.strip_prefix("id:").and_then(|number| number.parse::<i64>().ok()) {
        let known = connection
            .prepare_cached("SELECT id FROM clips WHERE id = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?;
        return known.ok_or_else(|| Error::UnknownClip { name: name.to_owned(), near: Vec::new() });
    }
    let mut names = connection.prepare_cached("SELECT name FROM clips ORDER BY id")?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Err(Error::UnknownClip { name: name.to_owned(), near: nearest(name, &names) })
}

/// Names like `wanted`, nearest first: few letters apart, or one within the other.
fn nearest(wanted: &str, names: &[String]) -> Vec<String> {
    let wanted_low = wanted.to_lowercase();
    let bound = (wanted_low.chars().count() / 3).max(2);
    let mut near: Vec<(usize, &String)> = names
        .iter()
        .filter_map(|name| {
            let low = name.to_lowercase();
            let within = low.contains(&wanted_low) || wanted_low.contains(&low);
            let letters = distance(&wanted_low, &low);
            (within || letters <= bound).then_some((letters, name))
        })
        .collect();
    near.sort();
    near.into_iter().take(SUGGESTED).map(|(_, name)| name.clone()).collect()
}

/// Levenshtein's distance: letters added, removed or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, &other) in b.iter().enumerate() {
            let replaced = before + usize::from(letter != other);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("walk", "walk"), 0);
        assert_eq!(distance("walk", "wlak"), 2);
        assert_eq!(distance("", "run"), 3);
        assert_eq!(distance("kick", "kicks"), 1);
    }

    #[test]
    fn mistyped_names_find_their_neighbours() {
        let names: Vec<String> = ["walk", "walk-slow", "run", "front-kick"].map(str::to_owned).to_vec();
        assert_eq!(nearest("wakl", &names), ["walk"]);
        assert_eq!(nearest("Kick", &names), ["front-kick"]);
        assert_eq!(nearest("zzzzzz", &names), [""; 0]);
    }

    #[test]
    fn every_text_becomes_a_name_that_can_be_typed() {
        assert_eq!(clean(" a\tb#c "), "a-b-c");
        assert_eq!(clean(""), "clip");
        assert_eq!(clean("id:3"), "id-3");
        assert!(clean(&"動".repeat(500)).len() <= LONGEST);
    }
}
