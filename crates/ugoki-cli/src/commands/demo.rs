//! `ugoki demo`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ugoki::job::demo::{Request, run as show};

use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output, serve};

/// Runs one example of each capability on the built-in sample motions
///
/// Writes motion files, pictures and an index page into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki demo out\n  ugoki demo out --serve")]
pub(super) struct Words {
    /// Folder to write into; made when missing
    folder: String,

    /// Then show the page at a local address until Ctrl-C
    #[arg(long)]
    serve: bool,

    /// Port of the local address; the next free one when it is busy
    #[arg(long, default_value_t = 4650)]
    port: u16,

    /// With --serve: fetch the page once and stop
    #[arg(long)]
    check: bool,

    /// With --serve: open the page in a browser where there is a display
    #[arg(long)]
    open: bool,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            folder: self.folder.clone(),
            serve: self.serve,
            port: self.port,
            check: self.check,
            open: self.open,
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let folder = Path::new(&request.folder);
    fs::create_dir_all(folder).map_err(|error| Failure::of_file(&request.folder, &files::plain(&error)))?;
    let bar = Bar::start("demo");
    let made =
        show(&mut |share| bar.step(share)).map_err(|error| Failure::of_job(&request.folder, &error))?;
    drop(bar);
    for file in &made.files {
        files::write(&folder.join(&file.name).to_string_lossy(), &file.bytes)?;
    }
    if json {
        output::json(&made.report);
    } else {
        output::note(&format!(
            "{} files in {}; open {}",
            made.files.len(),
            request.folder,
            folder.join("index.html").display()
        ));
    }
    if request.serve {
        serve::folder(folder, request, json)?;
    }
    Ok(ExitCode::SUCCESS)
}
