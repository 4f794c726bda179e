//! The formats by name.

use serde::{Deserialize, Serialize};

/// A motion file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Biovision hierarchy: text, one tree and one table of angles.
    Bvh,
    /// Acclaim skeleton: text, no motion.
    Asf,
    /// Acclaim motion: text, needs its skeleton.
    Amc,
    /// Autodesk's interchange format, binary or text.
    Fbx,
    /// glTF 2.0 as one binary file.
    Glb,
    /// glTF 2.0 as JSON.
    Gltf,
    /// A glTF avatar with humanoid roles.
    Vrm,
    /// A glTF animation for such avatars.
    Vrma,
    /// Motion files of DeepMimic and its successors: JSON.
    DeepMimic,
    /// Marker points: binary, the biomechanics standard.
    C3d,
    /// Marker points: text.
    Trc,
    /// Arrays for numpy.
    Npz,
    /// One row per frame for spreadsheets.
    Csv,
    /// A clip in a motion database; the crate `ugoki-db` reads and writes it.
    Database,
}

/// What is known about one format.
struct Facts {
    format: Format,
    name: &'static str,
    /// The usual ending first, then others.
    endings: &'static [&'static str],
    is_read: bool,
    is_written: bool,
    unit_metres: f64,
}

const fn facts(
    format: Format,
    name: &'static str,
    endings: &'static [&'static str],
    (is_read, is_written): (bool, bool),
    unit_metres: f64,
) -> Facts {
    Facts { format, name, endings, is_read, is_written, unit_metres }
}

/// One row per format in the order of the enum: name, endings, (read, written), metres per usual unit.
const FACTS: &[Facts] = &[
    facts(Format::Bvh, "BVH", &["bvh"], (true, true), 0.01),
    facts(Format::Asf, "ASF", &["asf"], (true, false), 0.0254 / 0.45),
    facts(Format::Amc, "AMC", &["amc"], (true, false), 0.0254 / 0.45),
    facts(Format::Fbx, "FBX", &["fbx"], (true, false), 0.01),
    facts(Format::Glb, "GLB", &["glb"], (true, true), 1.0),
    facts(Format::Gltf, "glTF", &["gltf"], (true, true), 1.0),
    facts(Format::Vrm, "VRM", &["vrm"], (true, true), 1.0),
    facts(Format::Vrma, "VRMA", &["vrma"], (true, true), 1.0),
    facts(Format::DeepMimic, "DeepMimic", &["txt", "json"], (true, false), 1.0),
    facts(Format::C3d, "C3D", &["c3d"], (true, false), 0.001),
    facts(Format::Trc, "TRC", &["trc"], (true, true), 0.001),
    facts(Format::Npz, "NPZ", &["npz", "npy"], (true, true), 1.0),
    facts(Format::Csv, "CSV", &["csv"], (false, true), 1.0),
    facts(Format::Database, "motion database", &["ugoki"], (false, false), 1.0),
];

impl Format {
    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Every format, those that are read first.
    pub fn all() -> impl Iterator<Item = Self> {
        FACTS.iter().map(|facts| facts.format)
    }

    /// The usual ending of file names, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.facts().endings[0]
    }

    /// The name users know: `BVH`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether files of this format can be read.
    #[must_use]
    pub fn is_read(self) -> bool {
        self.facts().is_read
    }

    /// Whether files of this format can be written.
    #[must_use]
    pub fn is_written(self) -> bool {
        self.facts().is_written
    }

    /// Whether files of this format store when feet stand.
    #[must_use]
    pub fn holds_contacts(self) -> bool {
        matches!(self, Self::Glb | Self::Gltf | Self::Vrma | Self::Npz)
    }

    /// Metres per unit of length that tools expect of a file of this format.
    #[must_use]
    pub fn usual_unit_metres(self) -> f64 {
        self.facts().unit_metres
    }

    /// The format of this file extension, without the dot, in any capitals.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.trim_start_matches('.');
        let found =
            FACTS.iter().find(|facts| facts.endings.iter().any(|e| e.eq_ignore_ascii_case(extension)));
        found.map(|facts| facts.format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_stands_in_its_own_row() {
        for (row, format) in Format::all().enumerate() {
            assert_eq!(format as usize, row, "{}", format.name());
            assert_eq!(Format::from_extension(format.extension()), Some(format));
        }
    }
}
