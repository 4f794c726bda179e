//! What intents do, on the thread of the page that has them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugoki::clip::Clip;
use ugoki::formats::{self, Format, WriteOptions};
use ugoki::signal::align;
use ugoki_verbs::{Request, render};

use super::commands::{commands, is_picture};
use super::evaluate::{Evaluated, ask as ask_verb, belongs, evaluate};
use super::guard::random_word;
use super::live::Order;
use super::motion::speeds;
use super::page::Page;
use super::performer::listen;
use super::protocol::{self, Answer, Document, Intent, Problem, Registration, VERSION};
use super::results::{Candidate, Fault};
use super::session::Effect;
use super::shared::Studio;
use super::step_host::Given;
use super::transfers::{self, Export};

/// Work that is done sooner shows no progress.
const PATIENCE: Duration = Duration::from_millis(150);
/// Time from one word about progress to the next.
const PACE: Duration = Duration::from_millis(80);
/// Most pieces that are kept at once.
const MOST_PIECES: usize = 500;

/// Does one intent and answers.
pub(super) fn handle(page: &Arc<Page>, intent: Intent) {
    let number = intent.number();
    let done = match intent {
        Intent::Hello { version } => hello(page, version),
        Intent::Show { number, frame } => {
            let document = page.studio.session().document().clone();
            show(page, number, frame, &document);
            Ok(())
        }
        Intent::Edit { number, frame, document, commit, label } => {
            let kept =
                if commit { page.change(Some(number), &label, document.clone(), None) } else { Ok(()) };
            show(page, number, frame, &document);
            kept
        }
        Intent::Undo {} => history(page, true),
        Intent::Redo {} => history(page, false),
        Intent::Speeds { stream } => {
            if let Some(clip) = page.stream(stream)
                && let Ok(answer) = speeds(&clip, stream, &mut |_| flow(page))
            {
                page.answer(&answer);
            }
            Ok(())
        }
        Intent::Registration {} => registration(page),
        Intent::Ask { number, request } => ask(page, number, &request),
        Intent::Save { name } => save(page, &name),
        Intent::Keep { stream, name } => match page.stream(stream) {
            Some(clip) => keep(page, &clip, &name),
            None => Err(Problem::new("this motion is gone").hint("search again")),
        },
        Intent::SavePieces { names } => save_pieces(page, &names),
        Intent::Remove { clip } => remove(page, &clip),
        Intent::Tag { clip, add, remove } => tag(page, &clip, &add, &remove),
        Intent::Import { number, files } => import(page, number, &files),
        Intent::Export { number, format } => export(page, number, &format),
        Intent::Commands { format } => {
            let document = page.studio.session().document().clone();
            let output = format!("{}.{}", file_stem(&document), transfers::plain_name(&format));
            let lines = commands(&document, &page.studio.path, &output);
            page.answer(&Answer::Commands { format, lines });
            Ok(())
        }
        Intent::Listen { port, everywhere } => {
            // The port may be the one that is listened at now.
            page.set_live(None);
            listen(page, port, everywhere).map(|live| page.set_live(Some(live)))
        }
        Intent::Silence {} => {
            page.set_live(None);
            page.answer(&Answer::Live { address: None, performer: None, actor: None });
            Ok(())
        }
        Intent::Record { name, seconds } => tell_live(page, Order::Record(name, seconds)),
        Intent::Finish {} => tell_live(page, Order::Finish),
        Intent::Drive { on } => drive(page, on),
        Intent::Poses { .. } | Intent::Curves { .. } | Intent::Stop {} => Ok(()),
    };
    if let Err(problem) = done {
        page.refuse(number, problem);
    }
}

fn flow(page: &Page) -> ControlFlow<()> {
    if page.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn tell_live(page: &Page, order: Order) -> Result<(), Problem> {
    if page.tell_live(order) {
        Ok(())
    } else {
        Err(Problem::new("no performer is heard").hint("listen at a port first"))
    }
}

/// Lets the performer drive what the document learned.
fn drive(page: &Page, on: bool) -> Result<(), Problem> {
    if !on {
        return tell_live(page, Order::Drive(None));
    }
    let document = page.studio.session().document().clone();
    let learned = match compute(page, 0, &document) {
        Ok(done) => done.model(),
        Err(Fault::Problem(problem)) => return Err(problem),
        Err(Fault::Cancelled) => return Ok(()),
    };
    match learned {
        Some(model) => tell_live(page, Order::Drive(Some(model))),
        None => Err(Problem::new("nothing was learned yet").hint("choose or record an imitation first")),
    }
}

fn hello(page: &Page, version: u32) -> Result<(), Problem> {
    if version != VERSION {
        return Err(Problem::new("page and program are of different versions").hint("reload the page"));
    }
    page.answer(&Answer::Welcome { version: VERSION, database: page.studio.name() });
    page.answer(&page.studio.list()?);
    let document = Studio::document(&page.studio.session(), None);
    page.answer(&document);
    Ok(())
}

/// Puts tags on a clip and takes others off; what is so already is no change.
fn tag(page: &Page, clip: &str, add: &[String], remove: &[String]) -> Result<(), Problem> {
    let Some(effect) = page.studio.tagging(clip, add, remove)? else { return Ok(()) };
    page.studio.apply(&effect)?;
    page.keep_effect(&format!("tags: {clip}"), effect)
}

/// Removes a clip. The one on stage makes room for its neighbour, with nothing done to that.
fn remove(page: &Page, clip: &str) -> Result<(), Problem> {
    let effect = Effect::Removed(vec![clip.to_owned()]);
    let mut document = page.studio.session().document().clone();
    if document.clip.as_deref() == Some(clip) {
        let next = page.studio.neighbour(clip)?;
        document = Document { tool: document.tool, clip: next, ..Document::default() };
    }
    page.studio.apply(&effect)?;
    page.change(None, &format!("removed: {clip}"), document, Some(effect))?;
    page.studio.tell(&page.studio.list()?);
    Ok(())
}

fn history(page: &Page, back: bool) -> Result<(), Problem> {
    let studio = &page.studio;
    let mut session = studio.session();
    let mut touched = false;
    let mut apply = |effect: &Effect| {
        touched = true;
        studio.apply(effect)
    };
    let gone = if back { session.undo(&mut apply)? } else { session.redo(&mut apply)? };
    if gone {
        studio.keep(&session, None)?;
    }
    drop(session);
    if touched {
        studio.tell(&studio.list()?);
    }
    Ok(())
}

/// Computes a document and reports to the page how far it is.
fn compute(page: &Page, number: u32, document: &Document) -> Result<Evaluated, Fault> {
    let studio = &page.studio;
    let tell = |place: usize, count: usize, candidate: &Candidate| {
        let (place, count) = (place as u32, count as u32);
        page.answer(&Answer::Found { number, place, count, candidate: sent_candidate(page, candidate) });
    };
    evaluate(document, studio, &tell, &mut progress_of(page, number))
}

/// Reports to the page now and then how far its work is, and ends the work when the page asks for it.
fn progress_of(page: &Page, number: u32) -> impl FnMut(f32) -> ControlFlow<()> {
    let mut next = Instant::now() + PATIENCE;
    move |part| {
        if Instant::now() > next {
            next = Instant::now() + PACE;
            page.answer(&Answer::Progress { number, part });
        }
        flow(page)
    }
}

fn show(page: &Page, number: u32, frame: u32, document: &Document) {
    let done = match compute(page, number, document) {
        Ok(done) => done,
        Err(fault) => return page.refuse(Some(number), fault.into()),
    };
    let shown = page.show(&done.clip, Some(frame));
    // A tool that changed nothing, or could not, has no ghost.
    let ghost = done.ghost.as_ref().filter(|ghost| !Arc::ptr_eq(ghost, &done.clip));
    page.answer(&Answer::Stage {
        number,
        motion: shown,
        ghost: ghost.map(|clip| page.show(clip, Some(frame))),
        reports: done.made.iter().map(|made| made.report.clone()).collect(),
        reaction: done.made.iter().rev().find_map(|made| made.reaction.clone()),
        candidates: done.candidates().iter().map(|candidate| sent_candidate(page, candidate)).collect(),
        problem: done.problem,
    });
}

/// A performance as it is sent to pages.
fn sent_candidate(page: &Page, (clip, report): &Candidate) -> protocol::Candidate {
    protocol::Candidate { motion: page.show(clip, None), report: report.clone() }
}

/// Points of a curve of correspondence that are sent.
const MOST_POINTS: usize = 200;

/// Which moments of the clips of a blend correspond.
fn registration(page: &Page) -> Result<(), Problem> {
    let mut document = page.studio.session().document().clone();
    let at = document.steps.iter().position(|step| matches!(step, Request::Blend(_)));
    let Some((at, Request::Blend(blend))) = at.map(|at| (at, document.steps[at].clone())) else {
        return Ok(());
    };
    document.steps.truncate(at);
    let Ok(first) = compute(page, 0, &document) else { return Ok(()) };
    let mut curves = Vec::new();
    for name in blend.inputs.iter().filter_map(|name| name.strip_prefix('#')) {
        let other = page.studio.clip(name)?;
        // Clips that cannot be aligned have no curve.
        let Ok(found) = align(&first.clip, &other, &mut |_| flow(page)) else { continue };
        let stride = found.times.len().div_ceil(MOST_POINTS).max(1);
        let point = |(frame, time): (usize, &f64)| {
            [(frame as f64 / first.clip.fps()) as f32, (time / other.fps()) as f32]
        };
        curves.push(Registration {
            name: name.to_owned(),
            seconds: [first.clip.seconds() as f32, other.seconds() as f32],
            points: found.frames.clone().zip(&found.times).step_by(stride).map(point).collect(),
        });
    }
    page.answer(&Answer::Registration { curves });
    Ok(())
}

/// A job's report on what the tool in use works on.
fn ask(page: &Page, number: u32, request: &Request) -> Result<(), Problem> {
    let mut document = page.studio.session().document().clone();
    let tool = document.tool;
    if let Some(at) = document.steps.iter().position(|step| belongs(step, tool)) {
        document.steps.truncate(at);
    }
    let report = compute(page, number, &document).and_then(|done| {
        let (before, made, files) = (&done.clip, &done.made, &document.files);
        let given = Given { before, key: "", made, studio: &page.studio, files, tell: &|_, _, _| {} };
        ask_verb(request, &given, &mut |_| flow(page))
    });
    match report {
        Ok(report) => page.answer(&Answer::Report { number, report }),
        Err(fault) => page.refuse(Some(number), fault.into()),
    }
    Ok(())
}

/// The motion on stage; a step that cannot be done is an error here.
fn on_stage(page: &Page, number: u32) -> Result<(Document, Arc<Clip>), Problem> {
    let document = page.studio.session().document().clone();
    let done = compute(page, number, &document)?;
    done.problem.map_or(Ok((document, done.clip)), Err)
}

fn save(page: &Page, name: &str) -> Result<(), Problem> {
    let (_, clip) = on_stage(page, 0)?;
    keep(page, &clip, name)
}

/// Keeps a motion under a name.
fn keep(page: &Page, clip: &Arc<Clip>, name: &str) -> Result<(), Problem> {
    let mut clip = Clip::clone(clip);
    name.trim().clone_into(&mut clip.name);
    if clip.name.is_empty() {
        return Err(Problem::new("the name is empty").hint("give one"));
    }
    clip.tags.clear();
    let names = page.studio.add(&[clip])?;
    page.keep_effect(&format!("save: {}", names.join(", ")), Effect::Added(names.clone()))?;
    page.answer(&Answer::Saved { names });
    Ok(())
}

/// Keeps the pieces between cuts; as many names as pieces are needed.
fn save_pieces(page: &Page, names: &[String]) -> Result<(), Problem> {
    let (document, clip) = on_stage(page, 0)?;
    let motion = clip.motion_frames();
    let mut bounds: Vec<usize> = vec![motion.start, motion.end];
    bounds.extend(document.cuts.iter().map(|&cut| cut as usize).filter(|cut| motion.contains(cut)));
    bounds.sort_unstable();
    bounds.dedup();
    if bounds.len() - 1 != names.len() || names.len() > MOST_PIECES {
        let (pieces, names) = (bounds.len() - 1, names.len());
        return Err(Problem::new(format!("{names} names for {pieces} pieces")).hint("give one for each"));
    }
    let mut pieces = Vec::with_capacity(names.len());
    for (bound, name) in bounds.windows(2).zip(names) {
        let mut piece = clip.trimmed(bound[0]..bound[1]).map_err(|error| Problem::new(error.to_string()))?;
        piece.name.clone_from(name);
        piece.tags.clear();
        pieces.push(piece);
    }
    let names = page.studio.add(&pieces)?;
    page.keep_effect(&format!("savePieces: {}", names.join(", ")), Effect::Added(names.clone()))?;
    page.answer(&Answer::Saved { names });
    Ok(())
}

fn import(page: &Page, number: u32, files: &[String]) -> Result<(), Problem> {
    let files = page.studio.uploads.take(files);
    if files.is_empty() {
        return Err(Problem::new("none of these files was uploaded").hint("drop them again"));
    }
    let known = page.studio.names()?;
    let (names, problems) = page.studio.import(&files, &mut progress_of(page, number))?;
    // A file that was there already is no change: undoing must not throw its clips out.
    let fresh: Vec<String> = names.iter().filter(|name| !known.contains(name)).cloned().collect();
    if !fresh.is_empty() {
        page.keep_effect(&format!("import: {}", fresh.join(", ")), Effect::Added(fresh))?;
    }
    page.answer(&Answer::Imported { number, clips: names, problems });
    Ok(())
}

/// A name for files of what is on stage.
fn file_stem(document: &Document) -> String {
    let clip = document.clip.as_deref().unwrap_or("motion");
    let verb = document.steps.last().map(|step| step.name().replace(' ', "-"));
    let name = verb.map_or_else(|| clip.to_owned(), |verb| format!("{clip}-{verb}"));
    transfers::plain_name(&name).replace([' ', '"', '\''], "-")
}

fn export(page: &Page, number: u32, format: &str) -> Result<(), Problem> {
    let (document, clip) = on_stage(page, number)?;
    let name = format!("{}.{format}", file_stem(&document));
    let unknown =
        || Problem::new(format!("{format:?} files are not written")).hint("use bvh, glb, vrma, gif or png");
    let bytes = if is_picture(&name) {
        let drawn = render::Render::default().draw(&name, &clip, None, &mut progress_of(page, number));
        drawn.map_err(|error| Problem::from(error.problem()))?
    } else {
        let kind = Format::from_extension(format).filter(|format| format.is_written()).ok_or_else(unknown)?;
        let options = WriteOptions::usual(kind);
        let written = formats::write(&clip, kind, &options, &mut |_| flow(page)).map_err(|error| {
            Problem { hint: error.hint().map(ToOwned::to_owned), ..Problem::new(error.to_string()) }
        })?;
        written.bytes
    };
    let key = random_word().map_err(|error| Problem::new(error.to_string()))?;
    let answer = Answer::Exported {
        number,
        path: format!("/export/{key}"),
        name: name.clone(),
        bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
    };
    page.studio.exports.put(Export { key, name, bytes });
    page.answer(&answer);
    Ok(())
}
