//! The handle of a performer that one page listens to.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use ugoki::perform::Model;

/// A page's request to its performer.
#[derive(Debug)]
pub(super) enum Order {
    /// Write down, under this name, for so many seconds.
    Record(String, f32),
    /// End that.
    Finish,
    /// Drive this, or nothing.
    Drive(Option<Arc<Model>>),
}

/// A performer that is heard until this is dropped.
#[derive(Debug)]
pub(super) struct Live {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// The performer of a thread that takes these orders.
    pub(super) fn new(orders: Sender<Order>, thread: JoinHandle<()>) -> Self {
        Self { orders: Some(orders), thread: Some(thread) }
    }

    pub(super) fn tell(&self, order: Order) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // The thread ends when no order can come any more.
        self.orders = None;
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
