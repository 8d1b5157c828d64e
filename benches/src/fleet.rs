//! The peers' model as plain data, and what it comes to. Everything in it follows from a service's
//! number, so the same size always gives the same model.

mod reference;

pub(crate) use reference::output;

/// How many hosts the services are spread over.
pub(crate) const HOSTS: usize = 16;

/// A fleet of services, numbered from one.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The services; the one at index `i` has the number `i + 1`.
    pub(crate) services: Vec<Service>,
    /// The unit that wants every service; it stands in the body of one library function.
    pub(crate) target: String,
}

/// One service: a module of its own in every language.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// From one up.
    pub(crate) number: usize,
    /// Below [`HOSTS`].
    pub(crate) host: usize,
    /// What it does.
    pub(crate) kind: Kind,
    /// What happens when it ends.
    pub(crate) restart: Restart,
    /// The limit of its memory, in MiB.
    pub(crate) memory: usize,
    /// Names and values of its environment.
    pub(crate) environment: [(&'static str, String); 4],
    /// The numbers of the services that it needs: each smaller than its own.
    pub(crate) requires: Vec<usize>,
}

/// What a service does.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Answers on a port.
    Web { port: usize, tls: bool },
    /// Takes jobs off a queue.
    Worker { queue: String, concurrency: usize },
    /// Runs at set times: systemd.time(7), "Calendar Events".
    Cron { schedule: String },
}

/// What happens when a service ends. Delays are in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Restart {
    Always { delay: usize },
    OnFailure { delay: usize, attempts: usize },
    Never,
}

impl Model {
    /// The model of a size: how many services.
    pub(crate) fn new(size: usize) -> Model {
        Model {
            services: (1..=size).map(Service::new).collect(),
            target: "multi-user.target".to_owned(),
        }
    }

    /// The same model after an edit of the last service, which nobody requires. Edits with
    /// different numbers differ; the one with 0 changes nothing.
    pub(crate) fn with_leaf_edited(&self, edit: usize) -> Model {
        let mut edited = self.clone();
        if let Some(last) = edited.services.last_mut() {
            last.memory += edit;
        }
        edited
    }

    /// The same model after an edit of the body of one library function, whose type stays.
    pub(crate) fn with_library_edited(&self, edit: usize) -> Model {
        let mut edited = self.clone();
        if edit > 0 {
            edited.target = format!("edit-{edit}.target");
        }
        edited
    }
}

impl Service {
    fn new(number: usize) -> Service {
        let kind = match number % 3 {
            0 => Kind::Web {
                port: 8_000 + number % 1_000,
                tls: number.is_multiple_of(2),
            },
            1 => Kind::Worker {
                queue: format!("jobs-{}", number % 40),
                concurrency: 1 + number % 8,
            },
            _ => Kind::Cron {
                schedule: format!("*-*-* {:02}:{:02}:00", number % 24, number % 60),
            },
        };
        let restart = match number / 3 % 3 {
            0 => Restart::Always {
                delay: 1 + number % 30,
            },
            1 => Restart::OnFailure {
                delay: 5 + number % 10,
                attempts: 3 + number % 4,
            },
            _ => Restart::Never,
        };
        let mut requires: Vec<usize> = [number / 2, number / 3]
            .into_iter()
            .filter(|n| *n > 0)
            .collect();
        requires.dedup();
        Service {
            number,
            host: number * 7 % HOSTS,
            kind,
            restart,
            memory: 64 + number % 16 * 32,
            environment: [
                (
                    "LOG_LEVEL",
                    ["debug", "info", "warn"][number % 3].to_owned(),
                ),
                ("REGION", format!("eu-{}", number % 4)),
                ("BANNER", format!("say \"{number}\" at 100 % of C:\\run")),
                ("WORKERS", (number % 12).to_string()),
            ],
            requires,
        }
    }

    /// Its name: `s0001` for the first.
    pub(crate) fn name(&self) -> String {
        name(self.number)
    }
}

/// The name of the service with a number.
pub(crate) fn name(number: usize) -> String {
    format!("s{number:04}")
}

/// The name of a host.
pub(crate) fn host_name(host: usize) -> String {
    format!("host-{host:02}")
}
