//! `db merge`, `db pull`, `db push`: clips from database to database as they are, without reading or deriving them again.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki_db::{CreateConfig, Database, MergeReport, name_of_clips};

use crate::error::InFile as _;
use crate::outcome::Outcome;
use crate::verb::{Report, Verb};
use crate::words::counted;
use crate::{Error, Host};

/// Joins databases into a new one, each clip once
///
/// Clips come over with everything that is known of them, under new numbers; a name that is taken gets a number. The same file, read in
/// the same way, is taken once, with the tags of both. Skeleton and rate of all must be the same.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki db merge monday.ugoki tuesday.ugoki -o week.ugoki")]
pub struct Merge {
    /// Databases
    #[arg(required = true)]
    pub databases: Vec<String>,

    /// Database to make
    #[arg(short, long, value_name = "NEW.ugoki")]
    pub output: String,
}

/// Takes clips out of a folder of databases into a new one
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki db pull archive/ -o all.ugoki\n  \
                        ugoki db pull archive/ --where \"tag = 'walk' and seconds < 10\" -o walks.ugoki\n\n\
                        The condition is SQL over name, seconds, fps, frames, take, tag, path, format, speed_m_s, peak_m_s, path_m, turn_deg, \
                        left_deg, right_deg, rise_m, steps and flights.")]
pub struct Pull {
    /// Folder of databases
    pub folder: String,

    /// Only clips for which this holds with one of their tags
    #[arg(long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,

    /// Database to make
    #[arg(short, long, value_name = "NEW.ugoki")]
    pub output: String,
}

/// Adds the clips of a database to a folder of databases, as one more of them
///
/// Clips that the folder has already are left out; the new database is called by its content.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki db push work.ugoki archive/")]
pub struct Push {
    /// Database
    pub database: String,

    /// Folder of databases; made when missing
    pub folder: String,
}

/// What came together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Gathered(pub MergeReport);

impl Report for Gathered {
    fn outcome(&self) -> Outcome {
        let clips: usize = self.0.merged.iter().map(|merged| merged.clips).sum();
        if clips == 0 { Outcome::NothingFound } else { Outcome::Done }
    }
}

impl fmt::Display for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MergeReport { database, merged, duplicates } = &self.0;
        let clips: usize = merged.iter().map(|merged| merged.clips).sum();
        write!(f, "{database}: {}", counted(clips, "clip"))?;
        for one in merged {
            write!(f, "\n  {}: {}", one.database, counted(one.clips, "clip"))?;
            if one.known > 0 {
                write!(f, ", {} there already", one.known)?;
            }
            if one.renamed > 0 {
                write!(f, ", {} renamed", one.renamed)?;
            }
        }
        if !duplicates.is_empty() {
            write!(f, "\nwith the same motion as another: {}", counted(duplicates.len(), "clip"))?;
        }
        Ok(())
    }
}

/// The clips of a database to take; `None` for all.
type Which<'a> = &'a dyn Fn(&Database) -> Result<Option<Vec<i64>>, ugoki_db::Error>;

/// Makes a database of the clips of others, all or those that `which` chooses of each.
fn gather(
    databases: &[String],
    output: &str,
    which: Which<'_>,
    host: &mut dyn Host,
    progress: Progress<'_>,
) -> Result<Gathered, Error> {
    let Some(first) = databases.first() else {
        return Err(Error::refused("there is no database to take clips from"));
    };
    let opened = host.database(first)?;
    let config = CreateConfig { skeleton: opened.skeleton().clone(), fps: opened.fps() };
    drop(opened);
    let others = databases.iter().map(|name| host.database(name).map(|database| (name, database)));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let mut report = MergeReport { database: output.to_owned(), ..MergeReport::default() };
    host.build_database(output, &config, &mut |made| {
        for (at, (name, other)) in others.iter().enumerate() {
            let only = which(other).in_file(name)?;
            let progress = &mut |part: f32| progress((at as f32 + part) / others.len() as f32);
            let (mut merged, duplicates) = made.merge_from(other, only.as_deref(), progress).in_file(name)?;
            merged.database.clone_from(name);
            report.merged.push(merged);
            report.duplicates.extend(duplicates);
        }
        Ok(())
    })?;
    Ok(Gathered(report))
}

impl Verb for Merge {
    type Report = Gathered;

    const ACTIVITY: &'static str = "merging";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Gathered, Error> {
        let inputs: Vec<&str> = self.databases.iter().map(String::as_str).collect();
        host.check_outputs(&inputs, &[&self.output])?;
        gather(&self.databases, &self.output, &|_| Ok(None), host, progress)
    }
}

impl Verb for Pull {
    type Report = Gathered;

    const ACTIVITY: &'static str = "taking out";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Gathered, Error> {
        let databases = host.databases_in(&self.folder)?;
        let inputs: Vec<&str> = databases.iter().map(String::as_str).collect();
        host.check_outputs(&inputs, &[&self.output])?;
        if databases.is_empty() {
            return Err(Error::refused("has no database in it").in_file(&self.folder));
        }
        let which = |database: &Database| {
            self.condition.as_deref().map(|condition| database.select_by(condition)).transpose()
        };
        gather(&databases, &self.output, &which, host, progress)
    }
}

impl Verb for Push {
    type Report = Gathered;

    const ACTIVITY: &'static str = "adding to the folder";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Gathered, Error> {
        host.check_outputs(&[&self.database], &[])?;
        let known = if host.is_folder(&self.folder) { host.databases_in(&self.folder)? } else { Vec::new() };
        let mut there = HashSet::new();
        for name in &known {
            there.extend(host.database(name)?.clip_keys().in_file(name)?.into_iter().map(|(_, key)| key));
        }
        let keys = host.database(&self.database)?.clip_keys().in_file(&self.database)?;
        let count = keys.len();
        let new: Vec<(i64, String)> = keys.into_iter().filter(|(_, key)| !there.contains(key)).collect();
        if new.is_empty() {
            let merged =
                ugoki_db::Merged { database: self.database.clone(), known: count, ..Default::default() };
            let report =
                MergeReport { database: self.folder.clone(), merged: vec![merged], ..Default::default() };
            return Ok(Gathered(report));
        }
        host.create_folder(&self.folder)?;
        let name = name_of_clips(new.iter().map(|(_, key)| key.as_str()));
        let output = Path::new(&self.folder).join(format!("{name}.ugoki")).to_string_lossy().into_owned();
        let ids: Vec<i64> = new.iter().map(|(id, _)| *id).collect();
        let which = |_: &Database| Ok(Some(ids.clone()));
        let mut done = gather(std::slice::from_ref(&self.database), &output, &which, host, progress)?;
        done.0.merged.iter_mut().for_each(|merged| merged.known += count - new.len());
        Ok(done)
    }
}
