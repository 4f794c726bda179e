//! Plots are SVG.

use super::Error;

/// Refuses names of plots that are not SVG.
///
/// # Errors
/// When it does not end in `.svg`.
pub fn check_plot_name(name: &str) -> Result<(), Error> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(()),
        _ => {
            Err(Error::Option { option: "--plot", message: format!("{name:?} has another ending; use .svg") })
        }
    }
}
