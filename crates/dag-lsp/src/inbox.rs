//! The messages that wait. They are looked through before they are handled, so
//! that a cancelled request is not answered at length, and a check is given up
//! when the text it looks at is out of date.

use crate::wire::Incoming;
use lsp_server::{Message, RequestId};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

pub(crate) struct Inbox {
    receiver: Receiver<Incoming>,
    waiting: VecDeque<Incoming>,
    cancelled: Vec<RequestId>,
}

impl Inbox {
    pub(crate) fn new(receiver: Receiver<Incoming>) -> Self {
        Self {
            receiver,
            waiting: VecDeque::new(),
            cancelled: Vec::new(),
        }
    }

    /// The next message; none if there is none for so long.
    pub(crate) fn next(&mut self, patience: Option<Duration>) -> Option<Incoming> {
        self.collect();
        if let Some(next) = self.waiting.pop_front() {
            return Some(next);
        }
        match patience {
            None => Some(self.receiver.recv().unwrap_or(Incoming::End(None))),
            Some(patience) => match self.receiver.recv_timeout(patience) {
                Ok(next) => Some(next),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Incoming::End(None)),
            },
        }
    }

    /// Takes what came in off the wire.
    fn collect(&mut self) {
        while let Ok(incoming) = self.receiver.try_recv() {
            if let Incoming::Message(Message::Notification(n)) = &incoming
                && n.method == "$/cancelRequest"
            {
                let id = serde_json::from_value(n.params["id"].clone());
                // A request that was answered is not cancelled any more.
                if let Ok(id) = id
                    && self.waiting.iter().any(|w| is_request(w, &id))
                {
                    self.cancelled.push(id);
                }
                continue;
            }
            self.waiting.push_back(incoming);
        }
    }

    /// Whether a request that waited was cancelled meanwhile.
    pub(crate) fn take_cancelled(&mut self, id: &RequestId) -> bool {
        self.collect();
        let before = self.cancelled.len();
        self.cancelled.retain(|c| c != id);
        self.cancelled.len() < before
    }

    /// Whether a text changed that the check at hand looks at, or all is over.
    pub(crate) fn overtakes(&mut self) -> bool {
        self.collect();
        self.waiting.iter().any(|w| match w {
            Incoming::Message(Message::Notification(n)) => {
                n.method.starts_with("textDocument/did")
                    || n.method.starts_with("workspace/did")
                    || n.method == "exit"
            }
            Incoming::End(_) => true,
            _ => false,
        })
    }
}

fn is_request(incoming: &Incoming, id: &RequestId) -> bool {
    matches!(incoming, Incoming::Message(Message::Request(r)) if r.id == *id)
}
