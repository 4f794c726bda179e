//! Schemas, shell completions and manual pages, all from the definitions of the verbs.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory as _;

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
pub(crate) fn man(folder: &str, json: bool) -> Result<ExitCode, Failure> {
    let refused = |error: std::io::Error| {
        Failure::new(format!("{folder}: {}", ugoki_db::system_message(&error)))
            .hint("name a folder that you may write to")
    };
    fs::create_dir_all(folder).map_err(refused)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    // Made elsewhere, then put in place one by one: a page may be a link to some other file.
    let made = Path::new(folder).join(format!(".ugoki-man-{}", std::process::id()));
    fs::create_dir(&made).map_err(refused)?;
    clap_mangen::generate_to(command, &made).map_err(refused)?;
    let mut pages = 0;
    for page in fs::read_dir(&made).map_err(refused)? {
        let page = page.map_err(refused)?;
        let text = fs::read(page.path()).map_err(refused)?;
        ugoki_db::replace_file(&Path::new(folder).join(page.file_name()), &text).map_err(refused)?;
        pages += 1;
    }
    fs::remove_dir_all(&made).map_err(refused)?;
    match json {
        true => output::line(&serde_json::json!({ "folder": folder, "pages": pages }).to_string()),
        false => output::note(&format!("{folder}: {pages} pages")),
    }
    Ok(ExitCode::SUCCESS)
}
