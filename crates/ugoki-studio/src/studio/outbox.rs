//! What is to be sent to one page. Writers never wait: poses that the page is too slow for are dropped, the oldest
//! first, and a page that does not even take its answers is given up.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::protocol::Answer;

/// Pose messages kept for a page: about a second of a long motion in pieces.
const MOST_POSES: usize = 48;
/// Answers kept for a page; one that is this far behind does not read any more.
const MOST_ANSWERS: usize = 512;
/// Bytes of answers kept for a page.
const MOST_BYTES: usize = 64 << 20;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// An answer as JSON.
    Text(String),
    /// Poses.
    Binary(Vec<u8>),
}

impl Message {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

#[derive(Debug, Default)]
struct Queues {
    answers: VecDeque<Message>,
    answer_bytes: usize,
    poses: VecDeque<Vec<u8>>,
    closed: bool,
}

/// The queues of one page.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queues: Mutex<Queues>,
    news: Notify,
}

impl Outbox {
    fn change<T>(&self, change: impl FnOnce(&mut Queues) -> T) -> T {
        let value = change(&mut self.queues.lock().unwrap_or_else(PoisonError::into_inner));
        self.news.notify_one();
        value
    }

    /// Sends an answer; a page that is too far behind is closed instead.
    pub(super) fn answer(&self, answer: &Answer) {
        // Answers are plain data: writing them as JSON cannot fail.
        if let Ok(text) = serde_json::to_string(answer) {
            self.in_order(Message::Text(text));
        }
    }

    /// Sends poses in the order of answers: a stage comes after the pose that it is first seen in, and waits for nothing.
    pub(super) fn first_poses(&self, bytes: Vec<u8>) {
        self.in_order(Message::Binary(bytes));
    }

    fn in_order(&self, message: Message) {
        self.change(|queues| {
            queues.answer_bytes += message.len();
            queues.answers.push_back(message);
            if queues.answers.len() > MOST_ANSWERS || queues.answer_bytes > MOST_BYTES {
                queues.answers.clear();
                queues.closed = true;
            }
        });
    }

    /// Sends poses; the oldest are dropped when the page is slow.
    pub(super) fn poses(&self, bytes: Vec<u8>) {
        self.change(|queues| {
            queues.poses.push_back(bytes);
            while queues.poses.len() > MOST_POSES {
                queues.poses.pop_front();
            }
        });
    }

    /// No more is wanted.
    pub(super) fn close(&self) {
        self.change(|queues| queues.closed = true);
    }

    /// The next message, answers first; `None` when the page is closed.
    pub(super) async fn next(&self) -> Option<Message> {
        loop {
            {
                let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
                if queues.closed {
                    return None;
                }
                if let Some(message) = queues.answers.pop_front() {
                    queues.answer_bytes -= message.len();
                    return Some(message);
                }
                if let Some(bytes) = queues.poses.pop_front() {
                    return Some(Message::Binary(bytes));
                }
            }
            self.news.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn answers_keep_their_order_and_go_before_poses() {
        let outbox = Outbox::default();
        outbox.poses(vec![1]);
        outbox.in_order(Message::Text("a".to_owned()));
        outbox.first_poses(vec![2]);
        outbox.in_order(Message::Text("b".to_owned()));
        let got: Vec<_> = (0..4).map(|_| now(outbox.next()).unwrap()).collect();
        let text = |word: &str| Message::Text(word.to_owned());
        assert_eq!(got, [text("a"), Message::Binary(vec![2]), text("b"), Message::Binary(vec![1])]);
    }

    #[test]
    fn a_slow_page_loses_its_oldest_poses_and_nothing_else() {
        let outbox = Outbox::default();
        for n in 0..=MOST_POSES {
            outbox.poses(vec![n as u8]);
        }
        outbox.in_order(Message::Text("still here".to_owned()));
        assert_eq!(now(outbox.next()), Some(Message::Text("still here".to_owned())));
        assert_eq!(now(outbox.next()), Some(Message::Binary(vec![1])), "message 0 was the oldest");
    }

    #[test]
    fn a_page_that_takes_nothing_is_given_up() {
        let outbox = Outbox::default();
        for _ in 0..=MOST_ANSWERS {
            outbox.in_order(Message::Text("x".to_owned()));
        }
        assert_eq!(now(outbox.next()), None);
    }
}
