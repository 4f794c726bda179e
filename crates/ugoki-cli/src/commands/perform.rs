//! `ugoki perform`

use std::path::Path;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use ugoki::clip::Clip;
use ugoki::formats::Gap;
use ugoki::perform::{Method, Mirror, PairMethod, RunConfig};
use ugoki_verbs::perform::{
    Learn, Recognize, Request, Run, check, learn as teach, plot, recognize as tell, run as play,
};

use super::{perform_live, reading, say, tell_findings};
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, live, models, output};

/// Lets a rough performance drive an expert's motion
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki perform learn expert.bvh me.bvh -o kata.ugoki\n  \
                  ugoki perform run kata.ugoki --input me-again.bvh --output kata.bvh")]
pub(super) struct Words {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Cuts actors' motions into pieces and learns from imitations how to tell where in them one is
    #[command(
        after_help = "Example:\n  ugoki perform learn kick.bvh my-kick.bvh bow.bvh my-bow.bvh -o moves.ugoki"
    )]
    Learn {
        /// An actor's motion, an imitation of it, the next actor's motion, …; imitations of one motion are pooled
        #[arg(required = true, value_name = "A1 P1 A2 P2 …")]
        inputs: Vec<String>,

        /// Model to write: a database; one that exists is added to
        #[arg(short, long, value_name = "MODEL")]
        output: String,

        /// The imitation runs beside the actor with one lag, or takes its own time
        #[arg(long, value_enum, default_value = "lag")]
        pair: PairWord,

        /// Draw what was to be estimated and what is
        #[arg(long, value_name = "FILE.svg")]
        plot: Option<String>,

        #[command(flatten)]
        reading: reading::Words,
    },
    /// Plays the actor's motion as the performer goes through it
    #[command(after_help = "Examples:\n  ugoki perform run kata.ugoki --input me.bvh --output kata.bvh\n  \
                            ugoki perform run kata.ugoki --input vmc:39540 --output vmc:127.0.0.1:39539")]
    Run {
        /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
        model: String,

        /// Performance: a motion file, - for standard input, or vmc:PORT for a live stream; - with a live output performs each
        /// row of a BVH as it comes
        #[arg(long, value_name = "FILE|vmc:PORT")]
        input: String,

        /// Motion file to write, - for standard output, or vmc:HOST:PORT to send it live
        #[arg(long, value_name = "FILE|vmc:HOST:PORT")]
        output: String,

        /// Hold a live performance back so long that packets which come in disorder are put in order
        #[arg(long, value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=2000))]
        buffer: u32,

        #[command(flatten)]
        recognition: Recognition,

        #[command(flatten)]
        reading: reading::Words,
    },
    /// Says which motion a performance is, frame by frame
    #[command(after_help = "Example:\n  ugoki perform recognize moves.ugoki --input take.bvh --method sum")]
    Recognize {
        /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
        model: String,

        /// Performance: a motion file, or - for standard input
        #[arg(long, value_name = "FILE")]
        input: String,

        #[command(flatten)]
        recognition: Recognition,

        #[command(flatten)]
        reading: reading::Words,
    },
}

#[derive(Debug, clap::Args)]
#[group(skip)]
struct Recognition {
    /// follow: motions by the nearest sample, the place in one from frame to frame; sum: all samples of a pattern; nearest:
    /// one sample; window: the last tenth of a second; dp: dynamic programming
    #[arg(long, value_enum, default_value = "follow")]
    method: MethodWord,

    /// Frames that must agree on another piece before it is taken
    #[arg(long, value_name = "FRAMES", default_value_t = 0)]
    hysteresis: usize,

    /// How much nearer a piece must be to come out of the motion's order: leg lengths per point; 0 for any order. `follow`
    /// has its own order
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().order, allow_negative_numbers = true)]
    order: f32,

    /// Distance from the imitation, leg lengths per point, at which its regression is only half believed
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().trust, allow_negative_numbers = true)]
    trust: f32,

    /// Share of the performer's movement, 0 to 1, that may be like nothing learned before the last pose is held; 1 for never.
    /// `follow` only
    #[arg(long, value_name = "SHARE", default_value_t = RunConfig::default().unknown, allow_negative_numbers = true)]
    unknown: f32,

    /// Whether the performer uses the other hand and foot than the actor; auto finds out while following
    #[arg(long, value_enum, default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    mirror: MirrorWord,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MirrorWord {
    Auto,
    No,
    Yes,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PairWord {
    Lag,
    Dtw,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodWord {
    Follow,
    Sum,
    Nearest,
    Window,
    Dp,
}

impl Recognition {
    fn config(&self) -> RunConfig {
        let method = match self.method {
            MethodWord::Follow => Method::Follow,
            MethodWord::Sum => Method::Sum,
            MethodWord::Nearest => Method::Nearest,
            MethodWord::Window => Method::Window,
            MethodWord::Dp => Method::Dp,
        };
        let mirror = match self.mirror {
            MirrorWord::Auto => Mirror::Auto,
            MirrorWord::No => Mirror::No,
            MirrorWord::Yes => Mirror::Yes,
        };
        let Self { hysteresis, order, trust, unknown, .. } = *self;
        RunConfig { method, hysteresis, order, trust, unknown, mirror }
    }
}

impl Words {
    pub(super) fn request(&self) -> Request {
        match &self.action {
            Action::Learn { inputs, output, pair, plot, reading } => Request::Learn(Learn {
                inputs: inputs.clone(),
                output: output.clone(),
                pair: match pair {
                    PairWord::Lag => PairMethod::Lag,
                    PairWord::Dtw => PairMethod::Dtw,
                },
                plot: plot.clone(),
                reading: reading.reading(),
            }),
            Action::Run { model, input, output, buffer, recognition, reading } => Request::Run(Run {
                model: model.clone(),
                input: input.clone(),
                output: output.clone(),
                buffer_ms: *buffer,
                recognition: recognition.config(),
                reading: reading.reading(),
            }),
            Action::Recognize { model, input, recognition, reading } => Request::Recognize(Recognize {
                model: model.clone(),
                input: input.clone(),
                recognition: recognition.config(),
                reading: reading.reading(),
            }),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    match request {
        Request::Learn(request) => learn(request, json),
        Request::Run(request) => perform(request, json),
        Request::Recognize(request) => recognize(request, json),
    }
}

fn learn(request: &Learn, json: bool) -> Result<ExitCode, Failure> {
    let reads = request
        .inputs
        .iter()
        .map(|name| files::motion(name, &request.reading))
        .collect::<Result<Vec<_>, _>>()?;
    for (name, read) in request.inputs.iter().zip(&reads) {
        tell_findings(name, &read.findings);
    }
    let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
    let gaps: Vec<&[Gap]> = reads.iter().map(|read| read.marks.gaps.as_slice()).collect();
    for pair in clips.chunks(2) {
        models::check_actor(Path::new(&request.output), pair[0])?;
    }
    let bar = Bar::start("learning");
    let (model, mut report) = teach(request, &clips, &gaps, &mut |share| bar.step(share))
        .map_err(|e| Failure::advised(&e.to_string()))?;
    drop(bar);
    let names = models::write(Path::new(&request.output), &model)?;
    // Names may have been made unique.
    for piece in &mut report.pieces {
        if let Some(at) = report.motions.iter().position(|motion| *motion == piece.motion) {
            piece.motion.clone_from(&names[at]);
        }
    }
    report.motions = names;
    if let Some(file) = &request.plot {
        files::write(file, plot(&report).as_bytes())?;
    }
    if json {
        output::json(&report);
    } else {
        output::line(&report.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

fn perform(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    if request.buffer_ms > 0 && !live::is_live(&request.input) {
        output::note("--buffer is for live input; a file's frames are in order, and nothing is held back");
    }
    check(&request.recognition).map_err(|error| Failure::advised(&error.to_string()))?;
    if live::is_live(&request.input) || live::is_live(&request.output) {
        return perform_live::run(request, json);
    }
    files::check_output(&request.output, json)?;
    files::check_not_input(&request.output, [request.input.as_str(), request.model.as_str()])?;
    let model = models::read(&request.model)?;
    let read = files::motion(&request.input, &request.reading)?;
    tell_findings(&request.input, &read.findings);
    let bar = Bar::start("performing");
    let (clip, report) = play(request, &model, &read.clip, &read.marks.gaps, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    files::write_motion(&request.output, &clip, &read)?;
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

fn recognize(request: &Recognize, json: bool) -> Result<ExitCode, Failure> {
    let model = models::read(&request.model)?;
    let read = files::motion(&request.input, &request.reading)?;
    tell_findings(&request.input, &read.findings);
    let bar = Bar::start("recognising");
    let report = tell(request, &model, &read.clip, &read.marks.gaps, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    if json {
        output::json(&report);
    } else {
        output::line(&report.to_string());
    }
    Ok(ExitCode::SUCCESS)
}
