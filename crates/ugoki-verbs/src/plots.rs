//! Endings of files that options name.

use crate::{Error, extension};

/// Refuses endings that an option does not write.
pub(crate) fn check_ending(
    option: &'static str,
    name: &str,
    endings: &[&str],
    hint: &str,
) -> Result<(), Error> {
    match extension(name) {
        Some(ending) if endings.contains(&ending.as_str()) => Ok(()),
        _ => Err(Error::option(option, format!("{name:?} has another ending")).hint(hint)),
    }
}

/// Refuses names of plots that do not end in `.svg`.
pub(crate) fn check_plot_name(name: Option<&str>) -> Result<(), Error> {
    name.map_or(Ok(()), |name| check_ending("--plot", name, &["svg"], "use .svg"))
}
