//! Plots are SVG.

use crate::Error;

/// Refuses names of plots that do not end in `.svg`.
pub(crate) fn check_plot_name(name: &str) -> Result<(), Error> {
    match crate::extension(name).as_deref() {
        Some("svg") => Ok(()),
        _ => Err(Error::option("--plot", format!("{name:?} has another ending")).hint("use .svg")),
    }
}
