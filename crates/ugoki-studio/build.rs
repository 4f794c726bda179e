//! Embeds the built front end, `web/dist`; without it a page that says how to build it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const NOTICE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Ugoki studio</title>\
<h1>The studio's page is not in this program</h1><p>It was built without Node. With Node 20.19 or newer run \
<code>make web</code> and build again. Everything that the studio does the command line does too: see \
<code>ugoki --help</code>.</p></html>\n";

fn main() -> std::io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let dist = here.join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // A folder that is not there must not make every build run this again.
    let watched = if dist.is_dir() { &dist } else { &here.join("../../web/package.json") };
    println!("cargo::rerun-if-changed={}", watched.display());
    bundle(&dist, &out)
}

/// Writes the table of the page's files; without a built page it has the notice alone.
pub(crate) fn bundle(dist: &Path, out: &Path) -> std::io::Result<()> {
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        list(dist, dist, &mut files)?;
        files.sort();
    } else {
        let notice = out.join("notice.html");
        fs::write(&notice, NOTICE)?;
        files.push(("index.html".to_owned(), notice));
    }
    let mut text =
        String::from("/// Every file of the page by its path.\nstatic FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in files {
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.canonicalize()?);
    }
    text.push_str("];\n");
    fs::write(out.join("bundle.rs"), text)
}

fn list(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(root, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(root) {
            let name: Vec<_> = name.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            files.push((name.join("/"), path));
        }
    }
    Ok(())
}
