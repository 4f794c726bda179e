//! Whether everything is sound: SQLite's structure, every blob, and the error of every derived form.

use std::sync::Arc;

use crate::{CheckReport, CheckedClip, Selection};
use ugoki_base::Progress;
use ugoki_base::clip::shell_error;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Skeleton;
use ugoki_compose::network::{Catalogue, Features, Network};
use ugoki_perform::Model;

use crate::derive::{DERIVED_VERSION, on_skeleton};
use crate::fingerprint::{VERSION as FINGERPRINT, fingerprint, same_motion};
use crate::hash::sha256;
use crate::{Database, Error};

/// What a derived form may be off at 3 cm from a joint, metres; `docs/formats/database.md` promises it.
pub const BOUND_M: f64 = 0.0001;

impl Database {
    /// Decodes everything and compares every derived form with its source retargeted again.
    ///
    /// # Errors
    /// When the database cannot be read at all, or the caller stops. What is wrong inside is in the report.
    pub fn check(&self, progress: Progress<'_>) -> Result<CheckReport, Error> {
        let mut report = CheckReport {
            sound: false,
            structure: self.structure()?,
            clips: 0,
            derived: 0,
            built: 0,
            broken: Vec::new(),
            outdated: 0,
            repaired: Vec::new(),
            largest_error_mm: 0.0,
            worst: None,
        };
        let ids = self.select(&Selection::default())?;
        for (index, &id) in ids.iter().enumerate() {
            ugoki_base::report(progress, index as f32 / ids.len() as f32)?;
            let name = self.name(id)?;
            match self.check_clip(id, progress) {
                Ok(Checked::Error(metres)) => {
                    report.derived += 1;
                    if metres * 1000.0 > report.largest_error_mm {
                        (report.largest_error_mm, report.worst) = (metres * 1000.0, Some(name.clone()));
                    }
                    // As seen from f32 positions far from the origin; the bound itself has that much room.
                    if metres > BOUND_M {
                        let off = format!("it is off by {:.3} mm", metres * 1000.0);
                        let error = Error::DamagedForm { name: name.clone(), detail: off };
                        report.broken.push(broken(name, &error));
                    }
                }
                Ok(Checked::Outdated) => report.outdated += 1,
                Ok(Checked::SourceOnly) => {}
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => report.broken.push(broken(name, &error)),
            }
            report.clips += 1;
        }
        self.check_skeletons(&mut report.broken)?;
        report.built = self.check_built(&mut report.broken)?;
        report.sound = report.structure.is_empty() && report.broken.is_empty();
        Ok(report)
    }

    /// Whether a clip's derived form is as it should be.
    pub(crate) fn is_sound(&self, id: i64, progress: Progress<'_>) -> Result<bool, Error> {
        match self.check_clip(id, progress) {
            Ok(Checked::Error(metres)) => Ok(metres <= BOUND_M),
            Ok(Checked::SourceOnly) => Ok(true),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Ok(Checked::Outdated) | Err(_) => Ok(false),
        }
    }

    /// Whether the segments of a clip lie within its frames.
    fn check_segments(&self, id: i64, frames: usize) -> Result<(), Error> {
        let mut query = self.connection.prepare_cached(
            "SELECT kind, start, \"end\" FROM segments WHERE clip_id = ?1 AND (start < 0 OR \"end\" > ?2)",
        )?;
        let mut rows = query.query((id, frames))?;
        if let Some(row) = rows.next()? {
            let (kind, start, end): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            return Err(Error::damaged(format!("its segment {start}:{end} ({kind}) goes beyond its frames")));
        }
        Ok(())
    }

    /// Decodes every skeleton and compares it with the hash stored next to it.
    fn check_skeletons(&self, broken: &mut Vec<CheckedClip>) -> Result<(), Error> {
        let mut query =
            self.connection.prepare("SELECT id, hash, num_joints, bytes FROM skeletons ORDER BY id")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (id, hash, joints): (i64, Vec<u8>, usize) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let bytes: Vec<u8> = row.get(3)?;
            let message = match Skeleton::from_bytes(&bytes) {
                _ if sha256(&bytes).as_slice() != hash => {
                    "its bytes are others than were written; clips as they came carry their own".to_owned()
                }
                Ok(skeleton) if skeleton.num_joints() == joints => continue,
                Ok(skeleton) => format!("{} joints are there, {joints} were promised", skeleton.num_joints()),
                Err(error) => error.to_string(),
            };
            broken.push(CheckedClip { name: format!("skeleton {id}"), message, repairable: false });
        }
        Ok(())
    }

    /// Decodes what was built from clips, known by the letters it begins with; gives how many were decoded.
    fn check_built(&self, broken: &mut Vec<CheckedClip>) -> Result<usize, Error> {
        let mut query = self.connection.prepare("SELECT kind, name, bytes FROM built ORDER BY kind, name")?;
        let mut rows = query.query([])?;
        let mut decoded = 0;
        while let Some(row) = rows.next()? {
            let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
            let bytes: Vec<u8> = row.get(2)?;
            let result = match bytes.get(..4) {
                Some(b"UGNW") => Network::from_bytes(&bytes).map(drop).map_err(|error| error.to_string()),
                Some(b"UGNC") => Catalogue::from_bytes(&bytes).map(drop).map_err(|error| error.to_string()),
                Some(b"UGNF") => Features::from_bytes(&bytes).map(drop).map_err(|error| error.to_string()),
                Some(b"UGPM") => match self.find(&name).and_then(|id| self.source(id)) {
                    Ok(clip) => Model::motion_from_bytes(&bytes, Arc::new(clip))
                        .map(drop)
                        .map_err(|error| error.to_string()),
                    Err(error) => Err(format!("its clip is not to be had: {error}")),
                },
                _ => continue,
            };
            decoded += 1;
            if let Err(message) = result {
                broken.push(CheckedClip { name: format!("{kind} {name}"), message, repairable: false });
            }
        }
        Ok(decoded)
    }

    /// What SQLite finds wrong with its pages, indices and references.
    fn structure(&self) -> Result<Vec<String>, Error> {
        let mut found: Vec<String> = Vec::new();
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        for line in query.query_map([], |row| row.get::<_, String>(0))? {
            let line = line?;
            if line != "ok" {
                found.push(line);
            }
        }
        let mut query = self.connection.prepare("PRAGMA foreign_key_check")?;
        for line in
            query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<i64>>(1)?)))?
        {
            let (table, row) = line?;
            found.push(format!("row {} of {table} refers to something that is not there", row.unwrap_or(0)));
        }
        Ok(found)
    }

    fn check_clip(&self, id: i64, progress: Progress<'_>) -> Result<Checked, Error> {
        let source = self.whole_source(id)?;
        let details = self.details(id)?;
        if source.num_frames() != details.source_frames || source.num_joints() != details.source_joints {
            return Err(Error::damaged(format!(
                "{} frames of {} joints are there, {} of {} were promised",
                source.num_frames(),
                source.num_joints(),
                details.source_frames,
                details.source_joints
            )));
        }
        self.whole_given_contacts(id)?;
        let kept: Vec<u8> = self
            .connection
            .prepare_cached("SELECT fingerprint FROM clips WHERE id = ?1")?
            .query_row([id], |row| row.get(0))?;
        // Fingerprints of other versions cannot be compared; an empty one is of a clip that was never asked for one.
        if kept.first() == Some(&FINGERPRINT) && !same_motion(&kept, &fingerprint(&source)) {
            return Err(Error::damaged("its motion is another than the one whose fingerprint was kept"));
        }
        if !details.row.derived {
            return match details.underived {
                Some(_) => Ok(Checked::SourceOnly),
                None => Err(Error::damaged("it has neither a derived form nor a reason for that")),
            };
        }
        let version: i64 = self
            .connection
            .prepare_cached("SELECT version FROM derived WHERE clip_id = ?1")?
            .query_row([id], |row| row.get(0))?;
        // Forms of another version may be laid out in another way.
        if version != DERIVED_VERSION {
            return Ok(Checked::Outdated);
        }
        let packed = self.packed(id)?;
        let contacts = self.contacts(id)?;
        let feet = contacts.iter().flat_map(|contacts| &contacts.feet);
        if feet.flat_map(|foot| foot.heel.iter().chain(&foot.toe)).any(|on| on.end > packed.num_frames()) {
            return Err(Error::DamagedForm {
                name: self.name(id)?,
                detail: "its contacts go beyond its frames".to_owned(),
            });
        }
        self.check_segments(id, packed.num_frames())?;
        if packed.num_frames() != details.row.frames || packed.num_joints() != self.skeleton.num_joints() {
            return Err(Error::DamagedForm {
                name: self.name(id)?,
                detail: "its derived form has another length or skeleton than promised".to_owned(),
            });
        }
        let moved = on_skeleton(&source, &self.skeleton, self.fps, progress)?
            .map(|moved| moved.clip)
            .map_err(|reason| Error::damaged(format!("its source cannot be derived again: {reason}")))?;
        if moved.num_frames() != packed.num_frames() {
            return Err(Error::DamagedForm {
                name: self.name(id)?,
                detail: "its derived form has another length than its source".to_owned(),
            });
        }
        let (mut exact, mut decoded) = (Pose::rest(&self.skeleton), Pose::rest(&self.skeleton));
        let mut worst: f64 = 0.0;
        for frame in 0..packed.num_frames() {
            ugoki_base::report(progress, frame as f32 / packed.num_frames() as f32)?;
            moved.pose_into(frame, &mut exact);
            packed.pose_into(frame, &mut decoded);
            worst = worst.max(shell_error(&self.skeleton, &exact, &decoded));
        }
        Ok(Checked::Error(worst))
    }
}

/// What is wrong with a clip and what to do.
fn broken(name: String, error: &Error) -> CheckedClip {
    let repairable = matches!(error, Error::DamagedForm { .. });
    let message = match error.hint() {
        // Of one clip more is known than of a whole file.
        Some(hint) if !repairable && !matches!(error, Error::Damaged { .. }) => format!("{error}; {hint}"),
        _ => error.to_string(),
    };
    CheckedClip { name, message, repairable }
}

enum Checked {
    /// The derived form's largest error, metres.
    Error(f64),
    /// The derived form was made by another version.
    Outdated,
    /// There is none, for a reason.
    SourceOnly,
}
