//! What the server says.

use crate::wire;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::Value;
use std::io::Write;

pub(crate) struct Outbox<W> {
    output: W,
    /// The client does not listen any more.
    pub(crate) broken: bool,
    next_id: i32,
}

impl<W: Write> Outbox<W> {
    pub(crate) fn new(output: W) -> Self {
        Self {
            output,
            broken: false,
            next_id: 0,
        }
    }

    fn send(&mut self, message: &Message) {
        self.broken |= wire::write(&mut self.output, message).is_err();
    }

    pub(crate) fn answer(&mut self, id: RequestId, answer: Result<Value, ResponseError>) {
        let response_result = answer;
        self.send(&Message::Response(Response {
            id,
            response_result,
        }));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let method = method.to_owned();
        self.send(&Message::Notification(Notification { method, params }));
    }

    /// Asks the client for something; what it answers is not waited for.
    pub(crate) fn ask(&mut self, method: &str, params: Value) {
        let id = RequestId::from(self.next_id);
        self.next_id += 1;
        let method = method.to_owned();
        self.send(&Message::Request(Request { id, method, params }));
    }

    pub(crate) fn refuse(&mut self, code: ErrorCode, why: &str) {
        self.broken |= wire::write_refusal(&mut self.output, code, why).is_err();
    }
}

/// The error that answers a request.
pub(crate) fn failure(code: ErrorCode, why: impl Into<String>) -> ResponseError {
    ResponseError {
        code: code as i32,
        message: why.into(),
        data: None,
    }
}
