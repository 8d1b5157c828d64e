//! The answer to a request over HTTP, which is waited for until it is there or Hayward is
//! told to end.
//!
//! Nothing of this host has to be tidied up behind a request, so it is left alone then: its
//! thread ends with this program.

use crate::Stop;
use hayward_http::{Client, Limits, Request, Response};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::sync::{Arc, mpsc};
use std::thread;

/// A request that a thread of its own may send.
pub(crate) struct Sent {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

/// Sends it and waits for the answer.
pub(crate) fn to(
    sent: Sent,
    client: &Arc<Client>,
    limits: Limits,
    stop: Option<&Stop>,
) -> Result<Response, String> {
    let (answers, answer) = mpsc::channel();
    let (ended, end) = std::io::pipe().map_err(|e| e.to_string())?;
    let client = Arc::clone(client);
    let send = move || {
        let request = Request {
            method: sent.method,
            url: &sent.url,
            headers: &sent.headers,
            body: sent.body.as_deref(),
        };
        let _ = answers.send(client.send(&request, &limits));
        // Whoever waits finds the answer there.
        drop(end);
    };
    let spawned = thread::Builder::new().spawn(send);
    spawned.map_err(|e| format!("there is no thread for it: {e}"))?;
    loop {
        let mut fds = vec![PollFd::new(&ended, PollFlags::IN)];
        fds.extend(stop.map(Stop::poll));
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
        }
        if let Some(signal) = stop.and_then(Stop::signal) {
            return Err(format!(
                "Hayward was told to end by signal {signal} before the answer came; whether the \
                 request was carried out is not known"
            ));
        }
        match answer.try_recv() {
            Ok(answer) => return answer.map_err(|e| e.to_string()),
            Err(mpsc::TryRecvError::Empty) => {}
            Err(mpsc::TryRecvError::Disconnected) => {
                return Err("the thread that sent it ended before an answer came".into());
            }
        }
    }
}
