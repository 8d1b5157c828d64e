//! Shared entries in a bucket of an object storage that speaks S3.
//!
//! It is never worth waiting for: each request has a short deadline, and after the first
//! fault nobody asks again in this run. What is put there goes out on a thread beside the
//! command. How much it holds, a lifecycle rule of the bucket says.

use super::Object;
use super::sign::{Signer, sha256};
use crate::Digest;
use crate::bucket_place::BucketPlace;
use hayward_http::{Client, Limits, Request, Response};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The time of one entry to be read.
const READ: Duration = Duration::from_secs(3);
/// The time of one entry to be put; the command does not wait for it.
const WRITE: Duration = Duration::from_secs(20);
/// Bytes of the largest entry that is read or put.
const LARGEST: usize = 64 << 20;
/// Entries that wait to be put; further ones are left out.
const WAITING: usize = 64;

/// Its name and its sealed bytes.
type Entry = (Digest, Vec<u8>);

/// The bucket, as this run sees it.
pub(super) struct Bucket {
    asked: Arc<Asked>,
    putting: OnceLock<Option<Putting>>,
}

/// What both threads ask through.
struct Asked {
    place: BucketPlace,
    client: Client,
    /// Whether it is left alone for the rest of the run.
    off: AtomicBool,
    /// The first fault, until it is told.
    fault: Mutex<Option<String>>,
}

/// The thread that puts entries there.
struct Putting {
    /// None once no further entry is put.
    entries: Mutex<Option<SyncSender<Entry>>>,
    /// Ends when the thread does.
    ended: Mutex<Receiver<()>>,
}

impl Bucket {
    /// Nothing is asked yet.
    pub(super) fn new(place: BucketPlace) -> Self {
        Self {
            asked: Arc::new(Asked {
                place,
                // One for each thread that asks.
                client: Client::new(2),
                off: AtomicBool::new(false),
                fault: Mutex::new(None),
            }),
            putting: OnceLock::new(),
        }
    }

    pub(super) fn get(&self, name: &Digest) -> Option<Vec<u8>> {
        self.asked.get(name)
    }

    pub(super) fn put(&self, name: &Digest, sealed: Vec<u8>) {
        if sealed.len() > LARGEST || self.asked.is_off() {
            return;
        }
        let putting = self.putting.get_or_init(|| Putting::begin(&self.asked));
        let Some(putting) = putting else { return };
        let entries = lock(&putting.entries);
        if let Some(entries) = entries.as_ref() {
            // One too many is left out: another run puts it.
            let _ = entries.try_send((*name, sealed));
        }
    }

    pub(super) fn finish(&self, wait: Duration) -> Option<String> {
        if let Some(Some(putting)) = self.putting.get() {
            // The thread ends behind the last entry that it was given.
            lock(&putting.entries).take();
            let ended = lock(&putting.ended).recv_timeout(wait);
            if ended == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                self.asked.fail(&format!(
                    "what was found is not put there within {} s",
                    wait.as_secs_f64()
                ));
            }
        }
        lock(&self.asked.fault).take()
    }
}

impl Putting {
    /// None where there can be no further thread: then nothing is put.
    fn begin(asked: &Arc<Asked>) -> Option<Self> {
        let (entries, waiting) = sync_channel::<Entry>(WAITING);
        let (end, ended) = sync_channel::<()>(0);
        let asked = Arc::clone(asked);
        let thread = std::thread::Builder::new().name("bucket".into());
        let begun = thread.spawn(move || {
            for (name, sealed) in waiting {
                asked.put(&name, &sealed);
            }
            drop(end);
        });
        begun.ok()?;
        Some(Self {
            entries: Mutex::new(Some(entries)),
            ended: Mutex::new(ended),
        })
    }
}

impl Asked {
    fn is_off(&self) -> bool {
        self.off.load(Ordering::Relaxed)
    }

    fn fail(&self, why: &str) {
        if !self.off.swap(true, Ordering::Relaxed) {
            *lock(&self.fault) = Some(format!("the shared store {}: {why}", self.place));
        }
    }

    fn get(&self, name: &Digest) -> Option<Vec<u8>> {
        if self.is_off() {
            return None;
        }
        match self.ask("GET", name, None, READ) {
            Ok(answer) if answer.status == 200 => Some(answer.body),
            // A missing entry is the usual case, and a missing bucket is none.
            Ok(answer) if answer.status == 404 && said(&answer) != "NoSuchBucket" => None,
            Ok(answer) => {
                self.fail(&refused("GET", &answer));
                None
            }
            Err(why) => {
                self.fail(&format!("GET: {why}"));
                None
            }
        }
    }

    fn put(&self, name: &Digest, sealed: &[u8]) {
        if self.is_off() {
            return;
        }
        match self.ask("PUT", name, Some(sealed), WRITE) {
            Ok(answer) if answer.status / 100 == 2 => {}
            Ok(answer) => self.fail(&refused("PUT", &answer)),
            Err(why) => self.fail(&format!("PUT: {why}")),
        }
    }

    fn ask(
        &self,
        method: &str,
        name: &Digest,
        body: Option<&[u8]>,
        deadline: Duration,
    ) -> Result<Response, hayward_http::HttpError> {
        let place = &self.place;
        let path = place.path(&Object::of(name).path());
        let time = jiff::Timestamp::now()
            .strftime("%Y%m%dT%H%M%SZ")
            .to_string();
        // Sorted, as they are signed.
        let mut headers = vec![
            ("host".to_owned(), place.authority().to_owned()),
            (
                "x-amz-content-sha256".to_owned(),
                sha256(body.unwrap_or_default()),
            ),
            ("x-amz-date".to_owned(), time.clone()),
        ];
        if let Some(token) = place.token() {
            headers.push(("x-amz-security-token".to_owned(), token.to_owned()));
        }
        let signer = Signer {
            id: place.id(),
            secret: place.secret(),
            region: place.region(),
        };
        let authorization = signer.authorization(method, &path, &headers, &time);
        headers.push(("authorization".to_owned(), authorization));
        let request = Request {
            method,
            url: &format!("{}{path}", place.origin()),
            headers: &headers,
            body,
        };
        let limits = Limits {
            deadline,
            body: LARGEST,
        };
        self.client.send(&request, &limits)
    }
}

/// The code in an error of S3: "Error Responses" of the Amazon S3 API Reference. Empty if
/// there is none that looks like one.
fn said(answer: &Response) -> &str {
    let text = std::str::from_utf8(&answer.body).unwrap_or("");
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"));
    let code = code.map_or("", |(code, _)| code);
    let plain = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain { code } else { "" }
}

fn refused(method: &str, answer: &Response) -> String {
    let mut why = format!("{method} is answered with status {}", answer.status);
    let code = said(answer);
    if !code.is_empty() {
        why.push_str(&format!(", {code}"));
    }
    why
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
