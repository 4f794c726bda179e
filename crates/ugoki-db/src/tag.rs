//! What a tag is: one rule for those that users type, that files bring, and that takes give their clips.
//!
//! A tag is lower case, one to 64 characters long, without spaces, commas and control characters, and begins neither
//! with the `!` of filters nor with the `-` of options. What a user types is refused when it does not fit, as it was
//! probably mistyped; tags of a file are made valid, and the import reports it.

use crate::Error;

/// Longest tag, characters.
const LONGEST: usize = 64;
/// Most tags taken from one clip of a file.
const MOST: usize = 64;

/// The tag that a user means: in lower case.
///
/// # Errors
/// Names the text when it cannot be a tag.
pub fn normal_tag(text: &str) -> Result<String, Error> {
    let tag = text.to_lowercase();
    if is_tag(&tag) { Ok(tag) } else { Err(Error::Tag { tag: text.to_owned() }) }
}

/// All of them, as [`normal_tag`].
///
/// # Errors
/// Names the first that cannot be a tag.
pub fn normal_tags(texts: &[String]) -> Result<Vec<String>, Error> {
    texts.iter().map(|text| normal_tag(text)).collect()
}

fn is_tag(tag: &str) -> bool {
    !tag.is_empty()
        && tag.chars().count() <= LONGEST
        && !tag.starts_with(['!', '-'])
        && !tag.contains(is_forbidden)
        && tag.to_lowercase() == *tag
}

fn is_forbidden(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == ','
}

/// The nearest tag to a text from a file: what is forbidden becomes a hyphen; `None` when nothing is left.
pub(crate) fn fitted_tag(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if is_tag(&lower) {
        return Some(lower);
    }
    let words: Vec<&str> = lower.split(is_forbidden).filter(|word| !word.is_empty()).collect();
    let joined = words.join("-");
    let short: String = joined.trim_start_matches(['!', '-']).chars().take(LONGEST).collect();
    Some(short.trim_end_matches('-').to_owned()).filter(|tag| is_tag(tag))
}

/// The name of a take as a tag: `Armature|Walk Cycle` is `armature-walk-cycle`.
pub(crate) fn tag_of_take(name: &str) -> Option<String> {
    let letters: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    fitted_tag(letters.trim())
}

/// Valid tags of a file, and messages about those that were changed.
pub(crate) fn fitted_tags(texts: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut tags, mut notes): (Vec<String>, Vec<String>) = Default::default();
    for text in texts.iter().take(MOST) {
        match fitted_tag(text) {
            Some(tag) => {
                if tag != *text {
                    notes.push(format!("its file's tag {:?} is kept as {tag:?}", excerpt(text)));
                }
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            None => notes.push(format!("its file's tag {:?} is left out, it is no tag", excerpt(text))),
        }
    }
    if texts.len() > MOST {
        notes.push(format!("its file has {} tags, the first {MOST} are kept", texts.len()));
    }
    (tags, notes)
}

/// The beginning of a text that may be long.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_fitted_is_a_tag_and_stays_as_it_is(text in ".{0,90}") {
            if let Some(tag) = fitted_tag(&text) {
                prop_assert!(is_tag(&tag), "{tag:?}");
                prop_assert_eq!(normal_tag(&tag), Ok(tag.clone()));
                prop_assert_eq!(fitted_tag(&tag), Some(tag));
            }
        }

        #[test]
        fn what_a_user_may_type_is_kept_alike_from_a_file(text in "[ -~äÖİΣß動]{0,70}") {
            if let Ok(tag) = normal_tag(&text) {
                prop_assert_eq!(fitted_tag(&text), Some(tag));
            }
        }
    }

    #[test]
    fn texts_of_files_become_tags() {
        assert_eq!(fitted_tag("Walk Cycle, slow"), Some("walk-cycle-slow".to_owned()));
        assert_eq!(fitted_tag(" --!x"), Some("x".to_owned()));
        assert_eq!(fitted_tag("take_2 v1.0"), Some("take_2-v1.0".to_owned()));
        assert_eq!(fitted_tag(&"a".repeat(200)), Some("a".repeat(LONGEST)));
        assert_eq!(fitted_tag(" ,\n"), None);
        assert_eq!(tag_of_take("Armature|Walk Cycle"), Some("armature-walk-cycle".to_owned()));
        assert_eq!(tag_of_take("|||"), None);
        assert!(normal_tag("a b").is_err() && normal_tag("!a").is_err() && normal_tag("").is_err());
        assert_eq!(normal_tag("Walk"), Ok("walk".to_owned()));
        let many: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let (tags, notes) = fitted_tags(&many);
        assert_eq!((tags.len(), notes.len()), (MOST, 1));
    }
}
