//! Which motion of a file with several.

use super::{Findings, ReadError, Severity};

/// Names listed in a message; files with hundreds of takes need not show them all.
const LISTED: usize = 20;

/// Index of the motion called `wanted`, or of that number from 0; the first by default.
pub(super) fn choose(names: &[String], wanted: Option<&str>) -> Result<usize, ReadError> {
    let Some(wanted) = wanted else { return Ok(0) };
    let by_number = || wanted.parse::<usize>().ok().filter(|number| *number < names.len());
    let found = names.iter().position(|name| name == wanted).or_else(by_number);
    found.ok_or_else(|| {
        let known = if names.is_empty() { "none: the file has no motion".to_owned() } else { list(names) };
        ReadError::Take { wanted: wanted.to_owned(), known }
    })
}

/// Says that only the first of several motions was read, and how to get the others.
pub(super) fn tell(names: &[String], findings: &mut Findings) {
    let [first, others @ ..] = names else { return };
    if others.is_empty() {
        return;
    }
    let message = format!("the file has {} motions; left out: {}", names.len(), list(others));
    let assumed = format!("only the first, {first:?}, is read");
    findings.note(Severity::Info, None, "several-takes", message, assumed);
}

/// Names in quotes.
fn list(names: &[String]) -> String {
    let mut known: Vec<String> = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect();
    if names.len() > LISTED {
        known.push(format!("and {} more", names.len() - LISTED));
    }
    known.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_go_by_name_before_number() {
        let names: Vec<String> = ["walk", "1", "run"].map(String::from).to_vec();
        assert_eq!(choose(&names, None), Ok(0));
        assert_eq!(choose(&names, Some("1")), Ok(1));
        assert_eq!(choose(&names, Some("2")), Ok(2));
        assert_eq!(choose(&names, Some("run")), Ok(2));
        let error = choose(&names, Some("3")).unwrap_err().to_string();
        assert!(error.contains("\"walk\", \"1\", \"run\""), "{error}");
        assert!(choose(&[], Some("x")).unwrap_err().to_string().contains("no motion"));
    }
}
