//! What to do about an error, in the words of the command line. The library says what is wrong and by how much; only here
//! are options named.

use std::io::ErrorKind;

use ugoki::clip::ClipError;
use ugoki::contact::ContactError;
use ugoki::dynamics::BodyError;
use ugoki::edit::walk::{StepFault, Strain};
use ugoki::edit::{CycleError, EditError, SpliceError, WalkError};
use ugoki::formats::{Finding, FootstepsError, ReadError, WriteError};
use ugoki::network::NetworkError;
use ugoki::perform::PerformError;
use ugoki::picture::PictureError;
use ugoki::react::ReactError;
use ugoki::retarget::RetargetError;
use ugoki::segment::SegmentError;
use ugoki::signal::{AlignError, BlendError, EqualizeError, FilterError, KernelError};

use ugoki_db::{Error as DatabaseError, ModelError};

use crate::Error;

impl Error {
    /// What to do about it, if anything is known.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        advice(self.root())
    }
}

fn advice(error: &Error) -> Option<String> {
    let text = match error {
        Error::Option { hint, .. } | Error::Refused { hint, .. } => return hint.clone(),
        Error::File(fault) => return fault.hint(),
        Error::TooLarge { memory_bytes: ugoki_files::LARGEST_FILE } => {
            "no motion file is; cut the take into parts"
        }
        Error::TooLarge { .. } => "allow more with --memory, or cut the take into parts",
        Error::ResultTooLarge { .. } => "allow more with --memory, or ask for fewer frames",
        Error::Socket(error) if error.kind() == ErrorKind::AddrInUse => {
            "another program listens there; close it or choose another port"
        }
        Error::Socket(_) => "check the address and the port",
        Error::NoClips { unusable: true } => {
            "its clips are kept only on skeletons of their own (`ugoki db list` says why); add motion of people, or make a \
             database with that skeleton by `ugoki db create --skeleton`"
        }
        Error::NoClips { .. } => "add motion with `ugoki db add`",
        Error::Footsteps(FootstepsError::Form { .. }) => {
            "expected {\"steps\": [{\"foot\": \"left\", \"x\": 0.1, \"z\": 0.55}]}"
        }
        Error::Footsteps(FootstepsError::Step { .. }) => {
            "expected a foot, left or right, with x and z in metres"
        }
        Error::Footsteps(FootstepsError::TooMany { .. }) => "split it",
        Error::Record(error) => error.hint()?,
        Error::Model(error) => return model(error),
        Error::Read(error) => return read(error),
        Error::Write(error) => return write(error),
        Error::Database(error) => return database(error),
        Error::Clip(error)
        | Error::Retarget(RetargetError::Clip(error))
        | Error::Perform(PerformError::Clip(error)) => match error {
            ClipError::TooLong { .. } => "choose a lower rate or a shorter range",
            _ => return None,
        },
        Error::Contact(error)
        | Error::React(ReactError::Contact(error))
        | Error::Walk(WalkError::Contact(error)) => match error {
            ContactError::NoJoint { .. } => "contacts need both legs from hip to foot",
            _ => return None,
        },
        Error::Retarget(error) => error.hint()?,
        Error::Filter(FilterError::TooLong { most, .. }) => return Some(format!("use at most {most}")),
        Error::Kernel(KernelError::Even { taps }) => {
            let (below, above) = (taps.saturating_sub(1).max(1), taps + 1);
            return Some(format!("use an odd count such as {below} or {above}"));
        }
        Error::Kernel(error) => kernel(error)?,
        Error::Equalize(EqualizeError::GainCount { bands, .. }) => {
            return Some(format!("give {bands} gains, lowest frequency first"));
        }
        Error::Equalize(EqualizeError::NoPart { .. }) => "name its joints as humans' or leave --part out",
        Error::Blend(error) => blend(error)?,
        Error::Splice(SpliceError::Empty { .. }) | Error::Network(NetworkError::NoFrames { .. }) => {
            "leave it out"
        }
        Error::Splice(SpliceError::Skeleton { .. })
        | Error::Network(NetworkError::Skeleton { .. })
        | Error::Walk(WalkError::Skeletons { .. }) => "retarget it first",
        Error::Loop(CycleError::Open { .. } | CycleError::Still) => "give the cycle with --range A:B",
        Error::Edit(EditError::TooShort { .. }) => {
            "give a longer --segment, and leave three frames between targets of one joint"
        }
        Error::Edit(EditError::NoHandle { .. }) => "`ugoki info` lists joints and roles",
        Error::Edit(EditError::Moment { .. }) => "move the time of the --handle or the --segment",
        Error::Edit(EditError::NotFinite { .. }) => "`ugoki check` shows what is wrong with the motion",
        Error::Walk(WalkError::Step { fault, .. }) => return step(fault),
        Error::Walk(error) => walk(error)?,
        Error::Segment(SegmentError::Body { .. }) => {
            "joints are known by names such as Hips, LeftArm, RightFoot"
        }
        Error::Segment(SegmentError::Group { .. }) => {
            "joints are watched except for hips, eyes, jaw and fingers"
        }
        Error::Network(NetworkError::NotFinite { .. }) => "mend the file it came from",
        Error::Network(NetworkError::TooManyEdges { .. }) => {
            "lower it with --threshold, or keep fewer per clip with --most"
        }
        Error::Perform(error) => perform(error)?,
        Error::React(ReactError::TooLong { .. }) => "use a shorter clip or a lower rate",
        Error::React(ReactError::Body(BodyError::Short { .. })) => "give the right unit with --source-unit",
        Error::Picture(PictureError::NoPoses) => "ask for at least 1, or leave --frames out",
        Error::Picture(PictureError::TooLarge { .. }) => "choose a smaller size or leave --size out",
        Error::Picture(PictureError::TooLong { .. }) => {
            "choose a smaller --size, fewer --frames or a shorter --trim"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// What to do about a file that cannot be read.
pub(crate) fn read(error: &ReadError) -> Option<String> {
    let text = match error {
        ReadError::NoSkeleton { .. } => "put the ASF file next to it or name it with --asf FILE",
        ReadError::NoRestPose { .. } => {
            "give the body model's NPZ, or a motion on its skeleton, with --asf FILE; or add the array J (rest positions of the joints) to \
             the file"
        }
        ReadError::SkeletonFile { .. } => "give the right file with --asf FILE",
        ReadError::TooManyFrames { .. } => {
            "the durations may be in another unit than seconds; or give a lower --source-fps"
        }
        ReadError::TooManySamples { .. } => {
            "give a lower rate with --source-fps, or name another motion with --take"
        }
        ReadError::Clip(_) => "give the rate with --source-fps",
        ReadError::Markers { .. } => {
            "say what the markers are in a map and give it with --markers MAP.toml; docs/methods/markers.md shows how"
        }
        ReadError::Take { .. } => "name one of them with --take, or give its number from 0",
        ReadError::OneMotion { .. } => "leave --take out",
        error => return error.hint().map(ToOwned::to_owned),
    };
    Some(text.to_owned())
}

/// What to do about a motion that cannot be written.
pub(crate) fn write(error: &WriteError) -> Option<String> {
    match error {
        WriteError::TooLarge { .. } => {
            Some("cut the clip with --trim or lower its rate with --fps".to_owned())
        }
        error => error.hint().map(ToOwned::to_owned),
    }
}

/// What to do about a damaged form of a clip.
pub(crate) const REPAIR: &str = "`ugoki db check FILE --repair` makes it again from the clip as it came";

/// What to do about an error of a database.
pub(crate) fn database(error: &DatabaseError) -> Option<String> {
    let text = match error {
        DatabaseError::Missing => "make one with `ugoki db create`",
        DatabaseError::Exists => "choose another name, or add to it with `ugoki db add`",
        DatabaseError::Empty | DatabaseError::NotADatabase { .. } | DatabaseError::OtherProgram { .. } => {
            "name a .ugoki file made by `ugoki db create`"
        }
        DatabaseError::Folder => {
            "name a .ugoki file in it, or make one with `ugoki db add NAME.ugoki FOLDER`"
        }
        DatabaseError::Tag { .. } => "`ugoki db show DATABASE` lists the tags there are",
        DatabaseError::UnknownClip { near, .. } if near.is_empty() => "`ugoki db list` shows the names",
        DatabaseError::NothingFits { .. } => "`ugoki db list` shows the names and tags",
        DatabaseError::NoClipNamed { examples } if examples.is_empty() => {
            "it is empty: add motion with `ugoki db add`"
        }
        DatabaseError::NoStance => {
            "take a file of this rig that rests in a T-pose or A-pose; single motions go onto this one by \
             `ugoki convert --retarget`, which looks for a frame in which it stands"
        }
        DatabaseError::DamagedForm { .. } => REPAIR,
        DatabaseError::IsDatabase => {
            "write its clips to a folder with `ugoki db export DATABASE -o FOLDER --to glb`, or with --source as they \
             came, and add that folder"
        }
        DatabaseError::Underived { .. } => "`ugoki db export --source` gives it back as it was",
        DatabaseError::Labels { .. } => "correct the file that --markers names",
        DatabaseError::SkeletonFile { .. } => "check the name that --asf gives",
        error => return error.hint(),
    };
    Some(text.to_owned())
}

/// Adds the option by which the user decides otherwise to what a reader assumed.
pub(crate) fn name_options(findings: &mut [Finding]) {
    for finding in findings {
        let option = match finding.code {
            "keys-sampled" => "; --source-fps chooses another",
            "unlikely-height" => "; --source-unit corrects it",
            "several-takes" => "; --take NAME or --take N, from 0, chooses another",
            _ => continue,
        };
        if let Some(assumed) = &mut finding.assumed {
            assumed.push_str(option);
        }
    }
}

fn model(error: &ModelError) -> Option<String> {
    let text = match error {
        ModelError::NotLearned { learned, .. } => {
            return Some(format!("learned are: {}", learned.join(", ")));
        }
        ModelError::Unreadable { .. } => "learn it again with `ugoki perform learn`",
        ModelError::OtherPoints { .. } => {
            "learn all motions in one run, so that they use the points that all bodies have"
        }
        ModelError::NoModel => "name a file that `ugoki perform learn` wrote",
        ModelError::Nothing => "make one with `ugoki perform learn ACTOR IMITATION -o MODEL`",
        ModelError::Database(error) => return database(error),
    };
    Some(text.to_owned())
}

fn perform(error: &PerformError) -> Option<&'static str> {
    Some(match error {
        PerformError::Nothing => "give an actor's motion and an imitation of it",
        PerformError::Unlearnable { .. } => {
            "imitate the motion as it is shown, or use --pair dtw when the timing is free"
        }
        PerformError::NoFrames | PerformError::NothingSeen => "record it again",
        PerformError::NoMotions => "learn some with `ugoki perform learn`",
        PerformError::Skeletons { .. } => {
            "bring the second onto the first's with `ugoki convert SECOND NEW --retarget FIRST` and learn from NEW"
        }
        _ => return None,
    })
}

fn kernel(error: &KernelError) -> Option<&'static str> {
    Some(match error {
        KernelError::Empty => "use an odd count such as 51",
        KernelError::TooMany { .. } => "use fewer, such as box:51 or gauss:2.5",
        KernelError::Sigma { .. } => "give a number above 0, such as gauss:2.5",
        KernelError::OneEuro { .. } => {
            "give a cut-off above 0 and a rise of 0 or more, such as one-euro:1,0.5"
        }
        KernelError::Degree { .. } => "lower the degree or add taps",
        KernelError::NotFinite { .. } => "give finite numbers, such as taps:1,2,1",
        KernelError::ZeroSum { .. } => "change one so that they do not cancel, such as taps:1,2,1",
        KernelError::Even { .. } | KernelError::Syntax { .. } => return None,
    })
}

fn blend(error: &BlendError) -> Option<&'static str> {
    Some(match error {
        BlendError::TooFew { .. } => "name another motion of the same skeleton",
        BlendError::TooMany { .. } => "blend some of them first",
        BlendError::WeightCount { .. } => "give one per clip",
        BlendError::ZeroSum { .. } => "give weights that do not cancel at any time, such as 1,1",
        BlendError::TooLong { .. } => "give negative weights nearer to 0, or use --align none",
        BlendError::Skeleton { .. } => "retarget it first",
        BlendError::Empty { .. } => "leave it out",
        BlendError::NothingInCommon { .. } => {
            "blend two at a time, cut the clips to a part that all have, or use --align none"
        }
        BlendError::Align { source: AlignError::TooShort { .. }, .. } => {
            "use --align none or at least 2 frames"
        }
        BlendError::Align { source: AlignError::Joints { .. }, .. } => "align clips on the same skeleton",
        _ => return None,
    })
}

fn walk(error: &WalkError) -> Option<&'static str> {
    Some(match error {
        WalkError::TooMany { .. } => "use fewer or shorter sources",
        WalkError::NoGait { .. } | WalkError::OnTiptoe { .. } => "give a motion that walks",
        WalkError::NoCycle { .. } => "plan fewer steps or give a longer walk",
        WalkError::Clamp { .. } => "plan shorter steps",
        WalkError::EmptyPlan => "give at least one",
        WalkError::TooManySteps { .. } => "split it",
        _ => return None,
    })
}

fn step(fault: &StepFault) -> Option<String> {
    let text = match fault {
        StepFault::SameFoot { .. } => "put a step of the other foot between",
        StepFault::Long(_) => "plan a shorter step or clamp it with --clamp",
        StepFault::High(_) => "plan a lower step or clamp it with --clamp",
        StepFault::Crosses(_) => "plan it further out or clamp it with --clamp",
        StepFault::Turns(_) => "turn over more steps or clamp it with --clamp",
        StepFault::Asks { max: Some(_), .. } => {
            "plan shorter steps, take a walk with longer ones, or clamp them with --clamp"
        }
        StepFault::Asks { strain: Strain::Touches(near), .. } => {
            let further = (near.max - near.found).max(0.0) + 0.01;
            return Some(format!(
                "plan it {further:.2} m further out, turn over more steps, or clamp it with --clamp"
            ));
        }
        StepFault::Asks { .. } => "take another walk, turn over more steps, or clamp it with --clamp",
        _ => return None,
    };
    Some(text.to_owned())
}
