//! Reads from Rust source which modules of its crate a file names. No parser: comments, texts and tests are blanked, then
//! `crate::`, `super::` and `self::` paths and `use` trees are taken apart.

use std::ops::Range;

/// A name that a `use` brings into a module: the name, what it stands for, and whether others may take it from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    pub(crate) is_public: bool,
}

/// What a file names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// Names from `use`; paths begin with `crate`, or with whatever the source says where that is another crate or a child.
    pub(crate) imports: Vec<Import>,
    /// Paths elsewhere in the code, from the root of the crate.
    pub(crate) paths: Vec<Vec<String>>,
}

/// Reads the source of the module `module` (segments from the root of the crate).
pub(crate) fn names(source: &str, module: &[String]) -> Names {
    let code = without_tests(&without_comments(source));
    let inline = inline_modules(&code);
    let mut names = Names::default();
    let mut taken: Vec<Range<usize>> = Vec::new();
    for (at, is_public, tree) in use_statements(&code) {
        let end = tree + code[tree..].find(';').unwrap_or(0);
        taken.push(at..end);
        let here = inside(module, &inline, at);
        let mut leaves = Vec::new();
        read_tree(&code[tree..end], &[], &mut leaves);
        for (path, name) in leaves {
            names.imports.push(Import { name, path: absolute(&path, &here), is_public });
        }
    }
    for (at, _) in code.match_indices("::") {
        let start = code[..at].rfind(|c: char| !is_word(c)).map_or(0, |end| end + last_len(&code, end));
        let first = &code[start..at];
        let is_start = !code[..start].ends_with("::") && matches!(first, "crate" | "super" | "self");
        if !is_start || taken.iter().any(|range| range.contains(&start)) {
            continue;
        }
        let path: Vec<String> = code[start..]
            .split("::")
            .map(|part| part.chars().take_while(|c| is_word(*c)).collect::<String>())
            .scan(true, |goes_on, part| {
                let taken = *goes_on && !part.is_empty();
                *goes_on = taken;
                taken.then_some(part)
            })
            .take(count_segments(&code[start..]))
            .collect();
        names.paths.push(absolute(&path, &inside(module, &inline, start)));
    }
    names
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn last_len(code: &str, at: usize) -> usize {
    code[at..].chars().next().map_or(0, char::len_utf8)
}

/// How many segments a path has that starts here.
fn count_segments(code: &str) -> usize {
    let mut rest = code;
    let mut count = 0;
    loop {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        count += usize::from(word > 0);
        match rest[word..].strip_prefix("::") {
            Some(next) if word > 0 => rest = next,
            _ => return count,
        }
    }
}

/// Blanks comments and the contents of texts, byte for byte.
fn without_comments(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut blank = |range: Range<usize>| {
        for byte in &mut out[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let end = at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            blank(at..end);
            at = end;
        } else if rest.starts_with(b"r\"") || rest.starts_with(b"r#\"") {
            let hashes = usize::from(rest[1] == b'#');
            let close: &[u8] = if hashes == 1 { b"\"#" } else { b"\"" };
            let body = at + 2 + hashes;
            let end = (body..bytes.len()).find(|&i| bytes[i..].starts_with(close)).unwrap_or(bytes.len());
            blank(body..end);
            at = (end + close.len()).min(bytes.len());
        } else if rest[0] == b'"' {
            let mut end = at + 1;
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            blank(at + 1..end.min(bytes.len()));
            at = (end + 1).min(bytes.len());
        } else if rest.len() > 2 && rest[0] == b'\'' && (rest[1] == b'\\' || rest[2] == b'\'') {
            let body = if rest[1] == b'\\' { at + 3 } else { at + 2 };
            let end = (body..bytes.len()).find(|&i| bytes[i] == b'\'').unwrap_or(bytes.len());
            blank(at + 1..end);
            at = (end + 1).min(bytes.len());
        } else {
            at += 1;
        }
    }
    String::from_utf8(out).expect("texts and comments are blanked whole")
}

/// Blanks what stands behind `#[cfg(test)]`: up to the end of its block or statement.
fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    while let Some(at) = out.find("#[cfg(test)]") {
        let body = at + "#[cfg(test)]".len();
        let end = match out[body..].find(['{', ';']).map(|i| body + i) {
            Some(open) if out.as_bytes()[open] == b'{' => block_end(&out, open),
            Some(semicolon) => semicolon + 1,
            None => out.len(),
        };
        out = format!("{}{}", &out[..at], &out[end..]);
    }
    out
}

/// The byte after the brace that closes the one at `open`.
fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// `mod name { … }` in a file: where it stands, and its name.
fn inline_modules(code: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("mod ") {
        if code[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        let rest = &code[at + 4..];
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        if !name.is_empty() && rest[name.len()..].trim_start().starts_with('{') {
            let open = at + 4 + rest.find('{').unwrap_or(0);
            found.push((open..block_end(code, open), name));
        }
    }
    found
}

/// The module at a place in a file.
fn inside(module: &[String], inline: &[(Range<usize>, String)], at: usize) -> Vec<String> {
    let nested = inline.iter().filter(|(range, _)| range.contains(&at)).map(|(_, name)| name.clone());
    module.iter().cloned().chain(nested).collect()
}

/// Every `use`: where it stands, whether it is public in any way, and where its tree begins.
fn use_statements(code: &str) -> Vec<(usize, bool, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rfind(['\n', ';', '{', '}', ']']).map_or(0, |end| end + 1);
        let before = code[line..at].trim();
        if before.is_empty() || before.starts_with("pub") {
            found.push((at, !before.is_empty(), at + 4));
        }
    }
    found
}

/// Leaves of a `use` tree: the path of each and the name it brings.
fn read_tree(tree: &str, prefix: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let path = tree[..open].trim().trim_end_matches("::");
        let prefix: Vec<String> = prefix.iter().cloned().chain(segments(path)).collect();
        let mut depth = 0;
        let mut item = String::new();
        for c in tree[open + 1..tree.rfind('}').unwrap_or(tree.len())].chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if c == ',' && depth == 0 {
                read_tree(&item, &prefix, leaves);
                item.clear();
            } else {
                item.push(c);
            }
        }
        read_tree(&item, &prefix, leaves);
    } else if !tree.is_empty() {
        let (path, alias) =
            tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let mut path: Vec<String> = prefix.iter().cloned().chain(segments(path)).collect();
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_owned);
        leaves.push((path, name));
    }
}

fn segments(path: &str) -> impl Iterator<Item = String> {
    path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
}

/// A path from the root of the crate, headed by `crate`; one that begins with another name stays as it is.
fn absolute(path: &[String], here: &[String]) -> Vec<String> {
    let mut at: Vec<String> = match path.first().map(String::as_str) {
        Some("crate") => Vec::new(),
        Some("self") => here.to_vec(),
        Some("super") => here[..here.len().saturating_sub(1)].to_vec(),
        _ => return path.to_vec(),
    };
    for part in &path[1..] {
        if part == "super" {
            at.pop();
        } else {
            at.push(part.clone());
        }
    }
    at.insert(0, "crate".to_owned());
    at
}

#[test]
fn paths_are_seen_in_all_forms() {
    let here = ["a".to_owned(), "b".to_owned()];
    let text = "use crate::clip::Clip;\npub use super::{c::{D, E as F}, g};\n// crate::comment\nlet x = crate::skeleton::Role::Hips;\n\
                let y = \"crate::text\"; mod x { use super::super::deep; }\n#[cfg(test)]\nmod tests { use crate::test; }\n\
                fn f() -> super::Error { self::inner::g() }";
    let found = names(text, &here);
    let shown = |path: &[String]| path.join("::");
    let imports: Vec<_> =
        found.imports.iter().map(|i| (i.name.as_str(), shown(&i.path), i.is_public)).collect();
    assert_eq!(
        imports,
        [
            ("Clip", "crate::clip::Clip".to_owned(), false),
            ("D", "crate::a::c::D".to_owned(), true),
            ("F", "crate::a::c::E".to_owned(), true),
            ("g", "crate::a::g".to_owned(), true),
            ("deep", "crate::a::deep".to_owned(), false),
        ]
    );
    let paths: Vec<_> = found.paths.iter().map(|path| shown(path)).collect();
    assert_eq!(paths, ["crate::skeleton::Role::Hips", "crate::a::Error", "crate::a::b::inner::g"]);
}
