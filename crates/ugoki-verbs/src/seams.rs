//! Feet of motions that are joined, blended and retargeted, and what is reported on the body at seams.

use std::fmt;

use ugoki::edit::FeetAt;

use crate::Error;

/// Whether feet are held by a verb that has no seams.
pub(super) fn are_feet_held(feet: FeetAt) -> Result<bool, Error> {
    match feet {
        FeetAt::All => Ok(true),
        FeetAt::Free => Ok(false),
        FeetAt::Seam => Err(Error::option("--feet", "there is no seam here").hint("use all or free")),
    }
}

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
