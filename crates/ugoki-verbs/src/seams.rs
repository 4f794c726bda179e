//! What `loop` and `splice` both report on the body at their seams.

use std::fmt;

/// Writes how many frames were mended and, as a warning with its `remedy`, how many times more is asked of the legs than in the
/// `source` ever: of knees' speed or of room between them.
pub(super) fn write_strain(
    f: &mut fmt::Formatter<'_>,
    mended: usize,
    strain: f64,
    source: &str,
    remedy: &str,
) -> fmt::Result {
    if mended > 0 {
        write!(
            f,
            "\n  {mended} frames in which the hips jump away and back were put between their neighbours"
        )?;
    }
    if strain > 1.0 {
        write!(
            f,
            "\n  warning: knees bend faster or legs pass nearer than in the {source} ({strain:.1} times); {remedy}"
        )?;
    }
    Ok(())
}
