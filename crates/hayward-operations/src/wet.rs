//! Requests that are carried out.

use crate::stop::Busy;
use crate::{Keeper, Limits, Secrets, Stop, file, process, rest};
use dag_analysis::operation::Verb;
use dag_eval::{Answer, Ask, Operations, Reply, Request, Stdin};
use hayward_http::Client;
use std::sync::{Arc, Mutex};

/// Carries requests out on this host. The program that uses it begins with
/// [`Keeper::main`], or names another one that does ([`Wet::kept_by`]).
#[derive(Debug)]
pub struct Wet {
    limits: Limits,
    secrets: Secrets,
    keeper: Keeper,
    stop: Option<Arc<Stop>>,
    client: Arc<Client>,
    /// Replies of hermetic operations: the same is asked once.
    known: Mutex<Vec<(Request, Reply)>>,
}

impl Default for Wet {
    fn default() -> Self {
        Self::new(Limits::default(), Secrets::default())
    }
}

impl Wet {
    /// With these limits, and these secrets for whoever reads one.
    #[must_use]
    pub fn new(limits: Limits, secrets: Secrets) -> Self {
        Self {
            limits,
            secrets,
            keeper: Keeper::default(),
            stop: None,
            // A connection that was kept may be closed when the next request goes out on
            // it, and whether that was carried out nobody could tell.
            client: Arc::new(Client::new(0)),
            known: Mutex::default(),
        }
    }

    /// Its programs are kept by that one, and not by this.
    #[must_use]
    pub fn kept_by(self, keeper: Keeper) -> Self {
        Self { keeper, ..self }
    }

    /// No operation begins or goes on after a signal that asks this program to end.
    #[must_use]
    pub fn until(self, stop: Arc<Stop>) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// From here on a signal is kept, until what is given is dropped.
    pub(crate) fn busy(&self) -> Option<Busy<'_>> {
        self.stop.as_deref().map(Stop::busy)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<(Request, Reply)>> {
        // A list that is whole at every moment outlives a panic beside it.
        self.known
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn carry_out(&self, request: &Request) -> Result<Reply, String> {
        match &request.ask {
            Ask::Run { argv, stdin } => {
                let input = match stdin {
                    Stdin::Empty => "",
                    Stdin::Text(text) => text,
                    Stdin::Secret(name) => self.secrets.text(name).ok_or_else(|| {
                        format!(
                            "the text of the secret `{name}` is not given: `--secret {name}=FILE`"
                        )
                    })?,
                };
                for word in argv {
                    self.guard(word.as_bytes(), "its argv")?;
                }
                let ended = process::run(argv, input.as_bytes(), self.manner())?;
                self.guard(&ended.stdout, "its standard output")?;
                self.guard(&ended.stderr, "its standard error")?;
                Ok(Reply::Exit {
                    status: ended.status,
                    stdout: ended.stdout,
                    stderr: ended.stderr,
                })
            }
            Ask::File {
                verb,
                path,
                content,
            } => {
                let limit = self.limits.output;
                Ok(match verb {
                    Verb::Read => {
                        let read = file::read(path, limit);
                        if let Ok(bytes) = &read {
                            self.guard(bytes, "the file")?;
                        }
                        Reply::Content(read)
                    }
                    Verb::List => {
                        let list = file::list(path, limit);
                        if let Ok(names) = &list {
                            self.guard(names.join("\n").as_bytes(), "the folder")?;
                        }
                        Reply::Entries(list)
                    }
                    Verb::Write => Reply::Written(file::write(path, content.as_bytes())),
                })
            }
            Ask::Http(http) => {
                let stop = self.stop.as_deref();
                rest::send(&self.client, http, &self.secrets, &self.limits, stop)
            }
        }
    }

    fn manner(&self) -> process::Manner<'_> {
        process::Manner {
            limits: &self.limits,
            keeper: &self.keeper,
            stop: self.stop.as_deref(),
        }
    }

    /// A secret that comes back would be kept and shown.
    fn guard(&self, bytes: &[u8], place: &str) -> Result<(), String> {
        match self.secrets.shown_in(bytes) {
            Some(name) => Err(format!("{place} shows the secret `{name}`")),
            None => Ok(()),
        }
    }
}

impl Operations for Wet {
    fn perform(&self, request: &Request) -> Answer {
        let hermetic = request.promises.hermetic;
        if hermetic && let Some((_, reply)) = self.known().iter().find(|(r, _)| r == request) {
            return Answer::Reply(reply.clone());
        }
        let _busy = self.busy();
        if let Some(signal) = self.stop.as_deref().and_then(Stop::signal) {
            return Answer::Refused(format!("Hayward was told to end by signal {signal}"));
        }
        match self.carry_out(request) {
            Ok(reply) => {
                if hermetic {
                    self.known().push((request.clone(), reply.clone()));
                }
                Answer::Reply(reply)
            }
            Err(why) => Answer::Refused(why),
        }
    }
}
