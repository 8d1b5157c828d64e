//! The store as a command sees it.

use crate::entries::{Entries, Row};
use crate::place::{self, PlaceError};
use crate::seal::Seal;
use crate::shared::Shared;
use crate::{Digest, Place};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// What an entry is. Its number never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// What was found of a project's modules, by the project's roots.
    Records = 1,
    /// A checked module.
    Module = 2,
    /// The value of an expression, as it was printed.
    Value = 3,
    /// Which witnesses of a project's modules hold, by the project's roots.
    Witnesses = 4,
    /// Where the outcomes of a project's evaluations are, by the project's roots.
    Outcomes = 5,
    /// Some of them.
    Batch = 6,
    /// Whose literals of a project's modules hold, by the project's roots.
    Literals = 7,
}

/// The store, or none. A clone is the same store.
#[derive(Clone)]
pub struct Store {
    open: Option<Arc<Held>>,
    shared: Option<Arc<Shared>>,
}

/// Who makes entries, when they are to be written.
type Maker = Box<dyn FnOnce() -> Vec<Entry> + Send>;

/// A thread that writes what it is sent.
struct Writer {
    entries: Sender<Maker>,
    thread: JoinHandle<()>,
}

/// What is open, as its owner holds it: who lets go of it waits for the writers.
struct Held(Arc<Open>);

/// An entry to be put: what it is, its key, its value.
pub type Entry = (Kind, Digest, Vec<u8>);

struct Open {
    folder: PathBuf,
    seal: Seal,
    entries: Mutex<Entries>,
    /// Who writes while the command goes on, in the order in which it is asked to.
    writer: Mutex<Option<Writer>>,
    limit: u64,
}

/// How large a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Its folder.
    pub folder: PathBuf,
    /// How many entries it has.
    pub entries: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// Bytes it may use.
    pub limit: u64,
}

impl Store {
    /// Bytes that a store may use if nobody says otherwise.
    pub const LIMIT: u64 = 1 << 30;

    /// No store.
    pub const OFF: Store = Store {
        open: None,
        shared: None,
    };

    /// Opens the store at a place for one build of the program.
    ///
    /// # Errors
    /// If there should be one and cannot be; whoever asks goes on with [`Store::OFF`].
    pub fn open(place: &Place, build: &str, limit: u64) -> Result<Self, PlaceError> {
        let Place::Folder(folder) = place else {
            return Ok(Self::OFF);
        };
        place::prepare(folder)?;
        let secret = place::secret(folder)?;
        let entries = Entries::open(folder).map_err(|error| PlaceError::Io {
            path: folder.clone(),
            source: std::io::Error::other(error),
        })?;
        Ok(Self {
            open: Some(Arc::new(Held(Arc::new(Open {
                folder: folder.clone(),
                seal: Seal::new(&secret, build),
                entries: Mutex::new(entries),
                writer: Mutex::default(),
                limit,
            })))),
            shared: None,
        })
    }

    /// The same, beside a store that several machines share.
    #[must_use]
    pub fn beside(mut self, shared: Shared) -> Self {
        self.shared = Some(Arc::new(shared));
        self
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.open.is_some() || self.shared.is_some()
    }

    /// The entry of a key that machines may share.
    #[must_use]
    pub fn get_shared(&self, kind: Kind, key: &Digest) -> Option<Vec<u8>> {
        self.shared.as_ref()?.get(kind as u8, key)
    }

    /// Puts an entry where other machines find it, if that works.
    pub fn put_shared(&self, kind: Kind, key: &Digest, value: &[u8]) {
        if let Some(shared) = &self.shared {
            shared.put(kind as u8, key, value);
        }
    }

    fn opened(&self) -> Option<&Arc<Open>> {
        self.open.as_deref().map(|Held(open)| open)
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.opened().map(|open| open.folder.as_path())
    }

    /// The entry of a key; none if it is not there, cannot be read, or is not what was
    /// put there.
    #[must_use]
    pub fn get(&self, kind: Kind, key: &Digest) -> Option<Vec<u8>> {
        let open = self.opened()?;
        let name = open.seal.name(kind as u8, key);
        let (seal, value) = open.entries().get(&name).ok()??;
        open.seal.holds(&seal, &name, &value).then_some(value)
    }

    /// Puts entries, all or none of them. Whether they are there afterwards.
    pub fn put(&self, entries: impl IntoIterator<Item = Entry>) -> bool {
        self.opened()
            .is_some_and(|open| open.put(&mut entries.into_iter()))
    }

    /// Makes entries and puts them while the command goes on; they are there when
    /// [`Store::finish`] has ended, or not at all.
    pub fn put_later(&self, make: impl FnOnce() -> Vec<Entry> + Send + 'static) {
        if let Some(open) = self.opened() {
            open.put_later(Box::new(make));
        }
    }

    /// Whether other machines find what is put where they do.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Waits for what is put later, and so long for what is still being put where other
    /// machines find it. A process that ends before loses it. Says why machines share less
    /// than they could, if something went wrong there since this was asked last.
    #[must_use]
    pub fn finish(&self, wait: Duration) -> Option<String> {
        if let Some(open) = self.opened() {
            open.finish();
        }
        self.shared.as_ref()?.finish(wait)
    }

    /// How large it is; none if there is no store or it cannot be read.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let open = self.opened()?;
        let entries = open.entries();
        Some(Usage {
            folder: open.folder.clone(),
            entries: entries.count().ok()?,
            bytes: entries.size().ok()?,
            limit: open.limit,
        })
    }

    /// Takes everything out. Whether it did.
    #[must_use]
    pub fn clear(&self) -> bool {
        self.opened()
            .is_some_and(|open| open.entries().clear().is_ok())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Open {
    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_later(self: &Arc<Self>, make: Maker) {
        let mut writer = self.writer();
        if writer.is_none() {
            let (sender, receiver) = std::sync::mpsc::channel::<Maker>();
            let open = Arc::clone(self);
            let write = move || {
                for make in receiver {
                    open.put(&mut make().into_iter());
                }
            };
            // Without a thread nothing is kept, which costs time and nothing else.
            let thread = std::thread::Builder::new().spawn(write);
            *writer = thread.ok().map(|thread| Writer {
                entries: sender,
                thread,
            });
        }
        if let Some(writer) = &*writer {
            // One that has ended has panicked, and keeps nothing more.
            let _ = writer.entries.send(make);
        }
    }

    fn finish(&self) {
        let writer = self.writer().take();
        if let Some(Writer { entries, thread }) = writer {
            drop(entries);
            let _ = thread.join();
        }
    }

    fn put(&self, entries: &mut dyn Iterator<Item = Entry>) -> bool {
        let mut sealed = entries.map(|(kind, key, value)| {
            let name = self.seal.name(kind as u8, &key);
            let seal = *self.seal.of(&name, &value).as_bytes();
            Row { name, seal, value }
        });
        let mut kept = self.entries();
        let written = kept.put(&mut sealed).is_ok();
        if kept.size().is_ok_and(|size| size > self.limit) {
            // To four fifths, so that not every run has to.
            let _ = kept.shrink(self.limit / 5 * 4);
        }
        written
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
