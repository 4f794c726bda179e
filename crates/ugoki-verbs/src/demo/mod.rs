//! `demo`: one example of each capability on the built-in sample motions, with an index page.
//!
//! An example is a list of command lines. They run through the ordinary verbs in the demo's folder, so that the page shows
//! what a user gets by typing them.

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::Clip;
use ugoki::formats::bvh;
use ugoki::metric::Comparison;
use ugoki::picture::{Example, GalleryMotion, PictureSize, examples_html};
use ugoki::{Progress, report as step, sample};

use crate::error::InFile as _;
use crate::render::Render;
use crate::{AnyReport, AnyVerb as _, Error, Folder, Host, OneOrMany, Request, Verb, Written, react};

/// What shows that a page is that of a demo.
const TITLE: &str = "<title>Ugoki demo</title>";

/// Runs one example of each capability on the built-in sample motions
///
/// Writes motion files, pictures and an index page into a folder.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki demo out\n  ugoki demo out --serve")]
pub struct Demo {
    /// Where everything goes.
    #[command(flatten)]
    pub output: Folder,

    /// Then show the page at a local address until Ctrl-C
    #[arg(long)]
    pub serve: bool,

    /// Port of the local address; the next free one when it is busy
    #[arg(long, default_value_t = 4650)]
    pub port: u16,

    /// Fetch the page once and end; with --serve
    #[arg(long)]
    pub check: bool,

    /// Open the page in a browser where there is a display; with --serve
    #[arg(long)]
    pub open: bool,
}

/// The demo's `--json` document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// One entry per capability.
    pub examples: Vec<Example>,
    /// The sample motions.
    pub motions: Vec<GalleryMotion>,
    /// The folder, and how many files were written there.
    #[serde(skip)]
    written: (String, usize),
}

/// A BVH with faults that real files have; `check` must name them all and still read it.
const ODD_BVH: &str = "HIERARCHY\r\nROOT mixamorig:Hips\r\n{\r\n\tOFFSET 0,0 90,5 0,0\r\n\
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\r\n\
\tJOINT mixamorig:Spine\r\n\t{\r\n\t\tOFFSET 0 12,5 0\r\n\t\tCHANNELS 3 Yrotation Xrotation Zrotation\r\n\
\t\tEnd site\r\n\t\t{\r\n\t\t\tOFFSET 0 45 0\r\n\t\t}\r\n\t}\r\n}\r\nMOTION\r\nFrames: 4\r\nFrame Time: ,0333\r\n\
0 90,5 0 0 0 0 0 0 0\r\n0 90,5 1,2e-1 0 0-7,5 1 2 3\r\n0 90,5 0,2 0 0 0 2 3 4\r\n";

/// The examples in the order a newcomer meets them, separated by empty lines: `# title`, text, `$ command line` several
/// times, `> files to show`. SAMPLES are the files of the sample motions.
const EXAMPLES: &str = include_str!("examples.txt");

/// The page is served by the command line, after the report.
impl Verb for Demo {
    type Report = Report;

    const ACTIVITY: &'static str = "demo";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        if !self.output.is_empty() {
            self.check_folder(host)?;
        }
        step(progress, 0.0)?;
        host.create_folder(&self.output)?;
        // First, so that a demo that was interrupted is known as one.
        host.write(&self.path("index.html"), examples_html(&[], &[]).as_bytes())?;
        let motions = self.gallery(host, &mut |part| progress(0.7 * part))?;
        host.write(&self.path("odd.bvh"), ODD_BVH.as_bytes())?;
        let inputs = [
            ("skating", sample::skating_walk()),
            ("noisy", sample::noisy_walk()),
            ("child", sample::child()),
        ];
        for (name, clip) in inputs {
            let clip = clip.ok_or_else(|| Error::refused(format!("there is no sample motion {name:?}")))?;
            self.write_bvh(&format!("{name}.bvh"), &clip, host)?;
        }
        let files: Vec<&str> = motions.iter().map(|motion| motion.file.as_str()).collect();
        let scripts = EXAMPLES.replace("SAMPLES", &files.join(" "));
        let scripts: Vec<&str> = scripts.split("\n\n").collect();
        let mut examples = Vec::new();
        for (done, script) in scripts.iter().enumerate() {
            let count = scripts.len() as f32;
            let part = &mut |part: f32| progress(0.7 + 0.3 * (done as f32 + part) / count);
            examples.push(self.play(script, host, part)?);
        }
        // Only the pictures needed it, and it would be taken for a motion.
        host.remove(&self.path("r.json"))?;
        host.write(&self.path("index.html"), examples_html(&examples, &motions).as_bytes())?;
        let files = examples.iter().map(|example| example.files.len()).sum::<usize>() + 2 * motions.len() + 1;
        Ok(Report { examples, motions, written: (self.output.0.clone(), files) })
    }
}

impl Demo {
    /// The path of a file in the folder.
    fn path(&self, name: &str) -> String {
        Path::new(&*self.output).join(name).to_string_lossy().into_owned()
    }

    /// Refuses a folder in which the user's own files would be replaced: only those of an earlier demo are.
    fn check_folder(&self, host: &mut dyn Host) -> Result<(), Error> {
        let page = host.earlier(&self.path("index.html"));
        if page.is_some_and(|page| page.contains(TITLE)) {
            return Ok(());
        }
        let motions = sample::motions();
        let of_motions = motions
            .iter()
            .flat_map(|motion| ["bvh", "gif"].map(|ending| format!("{}.{ending}", motion.name)));
        let shown =
            EXAMPLES.lines().filter_map(|line| line.strip_prefix("> ")).flat_map(|files| files.split(' '));
        let others = ["index.html", "odd.bvh", "skating.bvh", "noisy.bvh", "child.bvh", "r.json"].into_iter();
        let mut names = of_motions.chain(shown.chain(others).map(ToOwned::to_owned));
        match names.find(|name| host.exists(&self.path(name))) {
            None => Ok(()),
            Some(name) => Err(Error::refused("is there already, and the folder holds no earlier demo")
                .hint("name a new folder")
                .in_file(&self.path(&name))),
        }
    }

    fn write_bvh(&self, name: &str, clip: &Clip, host: &mut dyn Host) -> Result<(), Error> {
        host.write(&self.path(name), &bvh::write(clip, &bvh::WriteOptions::default()).bytes)
    }

    /// Writes the sample motions and their animations.
    fn gallery(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Vec<GalleryMotion>, Error> {
        let all = sample::motions();
        let mut motions = Vec::new();
        for (done, motion) in all.iter().enumerate() {
            step(progress, done as f32 / all.len() as f32)?;
            let Some(clip) = sample::clip(motion.name) else { continue };
            let (file, picture) = (format!("{}.bvh", motion.name), format!("{}.gif", motion.name));
            self.write_bvh(&file, &clip, host)?;
            // 12 frames per second: smooth enough to judge a motion, half the size of 25.
            let frames = Some((12.0 * clip.seconds()).ceil() as usize);
            let verb =
                Render { frames, size: Some(PictureSize { width: 240, height: 240 }), ..Render::default() };
            let bytes = verb
                .draw(&picture, &clip, None, &mut |part| progress((done as f32 + part) / all.len() as f32))?;
            host.write(&self.path(&picture), &bytes)?;
            motions.push(GalleryMotion {
                name: motion.name.to_owned(),
                summary: motion.summary.to_owned(),
                tags: motion.tags.iter().map(|&tag| tag.to_owned()).collect(),
                seconds: clip.seconds(),
                file,
                picture,
            });
        }
        Ok(motions)
    }

    /// Runs the command lines of an example in the folder.
    fn play(&self, script: &str, host: &mut dyn Host, progress: Progress<'_>) -> Result<Example, Error> {
        let mut example = Example::default();
        let (mut reports, mut said) = (Vec::new(), Vec::new());
        let inside = self.path("");
        let lines = script.lines().count() as f32;
        for (at, line) in script.lines().enumerate() {
            let done = at as f32 / lines;
            step(progress, done)?;
            match line.split_once(' ') {
                Some(("#", title)) => title.clone_into(&mut example.title),
                Some(("$", command)) => {
                    let report = self.command(command, host, &mut |_| progress(done))?;
                    if !command.starts_with("ugoki render") {
                        said.push(report.text().replace(&inside, ""));
                    }
                    reports.push(report);
                    example.commands.push(command.to_owned());
                }
                Some((">", files)) => example.files = files.split(' ').map(ToOwned::to_owned).collect(),
                _ => line.clone_into(&mut example.text),
            }
        }
        // Adding to a database does not fail when it is stopped.
        step(progress, 1.0)?;
        example.text += &figures(&reports);
        example.output = said.join("\n\n");
        Ok(example)
    }

    /// Runs a command line on the files of the folder.
    fn command(
        &self,
        command: &str,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<Box<dyn AnyReport>, Error> {
        // A word with the ending of a file is a name in the folder.
        let is_file = |word: &&str| Path::new(word).extension().is_some_and(|ending| ending.len() > 2);
        let word = |word: &str| if is_file(&word) { self.path(word) } else { word.to_owned() };
        let request = Request::from_words(command.split(' ').skip(1).map(word).collect()).in_file(command)?;
        request.run_any(host, progress)
    }
}

/// A sentence on what the reports of an example show together.
fn figures(reports: &[Box<dyn AnyReport>]) -> String {
    let (mut compared, mut peaks): (Vec<&Comparison>, Vec<f64>) = (Vec::new(), Vec::new());
    for report in reports {
        compared.extend(report.as_any().downcast_ref::<Comparison>());
        if let Some(OneOrMany::One(done)) =
            report.as_any().downcast_ref::<OneOrMany<Written<react::Report>>>()
        {
            let torques = done.report.reaction.frames.iter().filter_map(|frame| frame.torque.get("spine"));
            peaks.push(torques.copied().fold(0.0, f64::max));
        }
    }
    match (&compared[..], &peaks[..]) {
        ([before, after], _) if reports.len() > 2 => format!(
            " Mean distance from the true motion {:.2}° and {:.2}°, jerk {:.0} and {:.0} m/s³ (the true motion: {:.0}).",
            before.angle_deg.mean, after.angle_deg.mean, before.jerk[1], after.jerk[1], before.jerk[0]
        ),
        (_, [with, without]) => {
            format!(" Peak torque of the back {with:.0} N·m, without control {without:.0} N·m.")
        }
        _ => String::new(),
    }
}

impl crate::Report for Report {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, files) = &self.written;
        write!(f, "{files} files in {folder}; open {}", Path::new(folder).join("index.html").display())
    }
}
