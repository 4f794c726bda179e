//! One page: what it says is queued and done in order by a thread of its own, what it hears goes through its outbox.
//! Poses and curves do not wait behind long work.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ws::{Message as Frame, WebSocket};
use ugoki::clip::Clip;

use super::live::{Live, Order};
use super::motion::{curves, motion, poses, stride};
use super::outbox::{Message, Outbox};
use super::protocol::{Answer, Document, Intent, Motion, Poses, Problem};
use super::session::Effect;
use super::shared::Studio;
use super::unique_keys::check_unique_keys;

/// Motions of a page that poses can be asked of: those on stage, performances to choose from, and a few before.
const MOST_STREAMS: usize = 64;
/// Intents that wait for a page.
const MOST_WAITING: usize = 256;
/// A message that the page does not take for so long ends it.
const STALLED: Duration = Duration::from_secs(20);

/// Does one intent and answers.
pub(super) type Handler = fn(&Arc<Page>, Intent);

/// A motion that poses can be asked of.
#[derive(Debug)]
struct Shown {
    clip: Arc<Clip>,
    motion: Arc<Motion>,
}

/// A page that is connected.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) studio: Arc<Studio>,
    outbox: Arc<Outbox>,
    streams: Mutex<VecDeque<Shown>>,
    live: Mutex<Option<Live>>,
    waiting: Mutex<VecDeque<Intent>>,
    news: Condvar,
    /// The work at hand is no longer wanted.
    stop: AtomicBool,
    /// The page went away.
    gone: AtomicBool,
}

impl Page {
    fn new(studio: Arc<Studio>) -> Self {
        Self {
            studio,
            outbox: Arc::default(),
            streams: Mutex::default(),
            live: Mutex::default(),
            waiting: Mutex::default(),
            news: Condvar::new(),
            stop: AtomicBool::new(false),
            gone: AtomicBool::new(false),
        }
    }

    /// Says something to the page.
    pub(super) fn answer(&self, answer: &Answer) {
        self.outbox.answer(answer);
    }

    /// Says why an intent was not done.
    pub(super) fn refuse(&self, number: Option<u32>, problem: Problem) {
        self.answer(&Answer::Refused { number, problem });
    }

    /// A change of the document that can be undone.
    pub(super) fn change(
        &self,
        number: Option<u32>,
        label: &str,
        document: Document,
        effect: Option<Effect>,
    ) -> Result<(), Problem> {
        let mut session = self.studio.session();
        if !session.commit(label, document, effect) {
            return Ok(());
        }
        self.studio.keep(&session, number.map(|number| (&*self.outbox, number)))
    }

    /// A change of the database that can be undone; the document stays.
    pub(super) fn keep_effect(&self, label: &str, effect: Effect) -> Result<(), Problem> {
        let document = self.studio.session().document().clone();
        self.change(None, label, document, Some(effect))?;
        self.studio.tell(&self.studio.list()?);
        Ok(())
    }

    /// Whether the work at hand is to end.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.gone.load(Ordering::Relaxed)
    }

    /// The page went away.
    pub(super) fn gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// A motion that poses may now be asked of; the same clip keeps its number. Those around `frame` are sent at once.
    pub(super) fn show(&self, clip: &Arc<Clip>, frame: Option<u32>) -> Motion {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let known = streams.iter().position(|shown| Arc::ptr_eq(&shown.clip, clip));
        let known = known.and_then(|at| streams.remove(at));
        drop(streams);
        let shown = known.unwrap_or_else(|| {
            let motion = motion(clip, self.studio.next_stream());
            Shown { clip: clip.clone(), motion: Arc::new(motion) }
        });
        let motion = shown.motion.clone();
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.push_back(shown);
        while streams.len() > MOST_STREAMS {
            streams.pop_front();
        }
        drop(streams);
        if let Some(frame) = frame {
            let from = frame.min(clip.num_frames().saturating_sub(1) as u32);
            if let Some(found) = poses(clip, motion.stream, from, 2) {
                self.outbox.first_poses(found.to_bytes());
            }
        }
        Motion::clone(&motion)
    }

    fn send_poses(&self, clip: &Clip, stream: u32, from: u32, count: u32) {
        if let Some(found) = poses(clip, stream, from, count) {
            self.send(&found);
        }
    }

    /// Sends poses; the page drops what it is too slow for.
    pub(super) fn send(&self, poses: &Poses) {
        self.outbox.poses(poses.to_bytes());
    }

    pub(super) fn stream(&self, stream: u32) -> Option<Arc<Clip>> {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.iter().find(|shown| shown.motion.stream == stream).map(|shown| shown.clip.clone())
    }

    /// Begins to hear a performer, or ends it.
    pub(super) fn set_live(&self, live: Option<Live>) {
        let before = std::mem::replace(&mut *self.live.lock().unwrap_or_else(PoisonError::into_inner), live);
        drop(before);
    }

    /// Sends an order to the performer's thread; `false` when there is none.
    pub(super) fn tell_live(&self, order: Order) -> bool {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|live| live.tell(order))
    }

    /// What a page said.
    fn hear(self: &Arc<Self>, text: &str) {
        let intent = match check_unique_keys(text).and_then(|()| serde_json::from_str::<Intent>(text)) {
            Ok(intent) => intent,
            Err(error) => {
                let problem = Problem::new(format!("the message cannot be read: {error}"));
                return self.refuse(Intent::number_in(text), problem);
            }
        };
        match intent {
            // A motion that is forgotten by now is not on stage any more.
            Intent::Poses { stream, from, count } => {
                let page = self.clone();
                if let Some(clip) = self.stream(stream) {
                    tokio::task::spawn_blocking(move || page.send_poses(&clip, stream, from, count));
                }
            }
            Intent::Curves { stream, other, joint } => {
                let page = self.clone();
                tokio::task::spawn_blocking(move || page.send_curves(stream, other, joint));
            }
            Intent::Stop {} => self.stop.store(true, Ordering::Relaxed),
            intent => self.queue(intent),
        }
    }

    fn send_curves(&self, stream: u32, other: Option<u32>, joint: u32) {
        let Some(clip) = self.stream(stream) else { return };
        let step = stride(&clip);
        let Some(after) = curves(&clip, joint as usize, step) else {
            return self.refuse(None, Problem::new(format!("there is no joint {joint}")));
        };
        let other = other.and_then(|other| self.stream(other));
        let before = other.and_then(|clip| curves(&clip, joint as usize, step));
        self.answer(&Answer::Curves { stream, joint, stride: step as u32, after, before });
    }

    /// Whether an intent only shows something, so that a later one makes it needless.
    fn is_passing(intent: &Intent) -> bool {
        matches!(intent, Intent::Show { .. } | Intent::Edit { commit: false, .. })
    }

    fn queue(&self, intent: Intent) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(intent, Intent::Show { .. } | Intent::Edit { .. }) {
            waiting.retain(|intent| !Self::is_passing(intent));
            self.stop.store(true, Ordering::Relaxed);
        }
        if waiting.len() >= MOST_WAITING {
            drop(waiting);
            return self.refuse(
                intent.number(),
                Problem::new("too much is asked at once").hint("wait for the answers"),
            );
        }
        waiting.push_back(intent);
        self.news.notify_one();
    }

    /// Does what the page says until it goes.
    fn work(self: Arc<Self>, handle: Handler) {
        loop {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let intent = loop {
                if self.gone.load(Ordering::Relaxed) {
                    return;
                }
                if let Some(intent) = waiting.pop_front() {
                    break intent;
                }
                waiting = self.news.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            };
            self.stop.store(false, Ordering::Relaxed);
            drop(waiting);
            // Jobs do not panic on any data; if one does all the same, the page goes on.
            let number = intent.number();
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| handle(&self, intent)));
            if done.is_err() {
                self.refuse(number, Problem::new("the program failed at this").hint("please report it"));
            }
        }
    }

    fn leave(&self) {
        self.gone.store(true, Ordering::Relaxed);
        self.outbox.close();
        self.set_live(None);
        let _waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.news.notify_all();
    }
}

/// Talks with one page until either side ends it; `handle` does what it asks for, on a thread of the page.
pub(super) async fn talk(mut socket: WebSocket, studio: Arc<Studio>, handle: Handler) {
    let page = Arc::new(Page::new(studio.clone()));
    if !studio.enter(&page.outbox) {
        return;
    }
    let worker = page.clone();
    if std::thread::Builder::new().name("page".to_owned()).spawn(move || worker.work(handle)).is_err() {
        return;
    }
    loop {
        tokio::select! {
            message = page.outbox.next() => {
                let frame = match message {
                    None => break,
                    Some(Message::Text(text)) => Frame::Text(text.into()),
                    Some(Message::Binary(bytes)) => Frame::Binary(bytes.into()),
                };
                if !matches!(tokio::time::timeout(STALLED, socket.send(frame)).await, Ok(Ok(()))) {
                    break;
                }
            }
            frame = socket.recv() => match frame {
                Some(Ok(Frame::Text(text))) => page.hear(&text),
                Some(Ok(Frame::Binary(_))) => {
                    page.refuse(None, Problem::new("a page says text, not bytes"));
                }
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                Some(Ok(Frame::Close(_)) | Err(_)) | None => break,
            },
        }
    }
    page.leave();
}
