//! The demo's folder at a local address.

use std::path::Path;
use std::process::{Command, Stdio};

use ugoki_studio::FolderServer;
use ugoki_verbs::demo::Demo;

use crate::failure::Failure;
use crate::{interrupt, output};

/// Serves the demo's folder until Ctrl-C; with its `check`, fetches the page once and returns.
pub(crate) fn folder(request: &Demo, json: bool) -> Result<(), Failure> {
    let server = FolderServer::bind(Path::new(&*request.output), request.port).ok_or_else(|| {
        Failure::new(format!("no free port from {} on", request.port)).hint("give another one with --port")
    })?;
    // With --json stdout holds the report alone.
    if json {
        output::note(server.url());
    } else {
        output::line(server.url());
    }
    if request.check {
        return server.check().map_err(|error| Failure::new(error.to_string()));
    }
    if request.open {
        open_browser(server.url());
    }
    server
        .run(interrupt::stopped)
        .map_err(|error| Failure::new(format!("cannot wait for the browser: {error}")))
}

pub(crate) fn open_browser(url: &str) {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let (program, wanted) = if cfg!(target_os = "macos") {
        ("open", true)
    } else if cfg!(windows) {
        ("explorer", true)
    } else {
        ("xdg-open", display)
    };
    if wanted {
        // The address is printed above, for machines without a browser.
        let _ = Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}
