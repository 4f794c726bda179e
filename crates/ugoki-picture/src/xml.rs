//! A strict little XML check for tests: tags nest, attributes are quoted and single, text is escaped.

/// Names the first fault.
pub(super) fn well_formed(text: &str) -> Result<usize, String> {
    let mut open: Vec<&str> = Vec::new();
    let mut elements = 0;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start])?;
        if open.is_empty() && elements > 0 && !rest[..start].trim().is_empty() {
            return Err("text after the root".into());
        }
        let mut quoted = false;
        let end = rest[start..].find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let end = start + end.ok_or("a tag does not end")?;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            continue;
        }
        if open.is_empty() && elements > 0 {
            return Err("two roots".into());
        }
        elements += 1;
        let empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let name = tag.split_whitespace().next().ok_or("a tag without a name")?;
        check_attributes(&tag[name.len()..])?;
        if !empty {
            open.push(name);
        }
    }
    check_text(rest)?;
    if open.is_empty() && elements > 0 { Ok(elements) } else { Err(format!("not closed: {open:?}")) }
}

fn check_attributes(mut rest: &str) -> Result<(), String> {
    let mut names = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(());
        }
        let (name, after) = rest.split_once("=\"").ok_or_else(|| format!("attribute {rest:?}"))?;
        let (value, after) = after.split_once('"').ok_or("an open quote")?;
        if names.contains(&name) || name.contains(char::is_whitespace) || value.contains('<') {
            return Err(format!("attribute {name:?} = {value:?}"));
        }
        check_text(value)?;
        names.push(name);
        rest = after;
    }
}

fn check_text(text: &str) -> Result<(), String> {
    if let Some(c) = text.chars().find(|c| (*c < ' ' && !matches!(c, '\n' | '\t' | '\r')) || *c == '\u{ffff}')
    {
        return Err(format!("forbidden character {c:?}"));
    }
    for part in text.split('&').skip(1) {
        if !["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|e| part.starts_with(e)) {
            return Err(format!("stray & before {part:?}"));
        }
    }
    Ok(())
}

#[test]
fn faults_are_found() {
    assert_eq!(well_formed("<a x=\"1\"><b/>t &amp; u</a>"), Ok(2));
    for bad in
        ["<a>", "<a></b>", "<a x=1/>", "<a>&</a>", "<a x=\"1\" x=\"2\"/>", "<a/><b/>", "<a>\u{1}</a>", ""]
    {
        assert!(well_formed(bad).is_err(), "{bad}");
    }
}
