//! Schemas, shell completions and manual pages, all from the definitions of the verbs.

use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _};
use ugoki_verbs::{FileHost, Host as _};

use crate::failure::Failure;
use crate::{Cli, output};

/// Prints the JSON schema of a verb's request.
pub(crate) fn schema(words: &[String]) -> Result<ExitCode, Failure> {
    let words: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).collect();
    let Some(schema) = ugoki_verbs::request_schema(&words) else {
        let (name, all) = (words.join(" "), ugoki_verbs::verb_names());
        let within: Vec<&String> =
            all.iter().filter(|known| known.starts_with(&format!("{name} "))).collect();
        let (message, known) = match within.is_empty() {
            true => (format!("there is no verb {name:?}"), all.iter().collect()),
            false => (format!("{name} has several verbs"), within),
        };
        let known = known.into_iter().map(String::as_str).collect::<Vec<_>>();
        return Err(Failure::new(message).hint(format!("use one of {}", known.join(", "))));
    };
    let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::new(error.to_string()))?;
    output::line(&text);
    Ok(ExitCode::SUCCESS)
}

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ugoki", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}

/// Writes a manual page for the program and for each verb.
pub(crate) fn man(folder: &str, json: bool, host: &mut FileHost<'_>) -> Result<ExitCode, Failure> {
    host.create_folder(folder)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut written = Vec::new();
    pages(command, &mut written).map_err(|error| Failure::new(error.to_string()))?;
    for (name, text) in &written {
        host.write(&Path::new(folder).join(name).to_string_lossy(), text)?;
    }
    let pages = written.len();
    match json {
        true => output::line(&serde_json::json!({ "folder": folder, "pages": pages }).to_string()),
        false => output::note(&format!("{folder}: {pages} pages")),
    }
    Ok(ExitCode::SUCCESS)
}

/// The pages of a command and of those within it, with their file names.
fn pages(command: Command, written: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        pages(inner.clone(), written)?;
    }
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    written.push((page.get_filename(), text));
    Ok(())
}
