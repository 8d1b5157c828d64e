//! The store of this process, and `hayward store`.

use crate::args::StoreArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, counted};
use hayward_project::in_line;
use hayward_store::{Place, PlaceError, Shared, SharedPlace, Store};
use std::sync::OnceLock;
use std::time::Duration;

/// Bytes that a store may use that machines share.
const SHARED_LIMIT: u64 = 8 << 30;

/// How long a command waits, when its answer is out, for what it puts where others find it.
const WAIT: Duration = Duration::from_secs(5);

/// Opened by the command that looks into it first.
static STORE: OnceLock<Store> = OnceLock::new();

/// What this program was built from: what another one found is not believed.
const BUILD: &str = include_str!(concat!(env!("OUT_DIR"), "/build"));

/// The store that the environment asks for. One that cannot be used is named once, and
/// the command goes on without it.
pub(crate) fn of_environment(output: &Output) -> &'static Store {
    STORE.get_or_init(|| {
        let (store, refused) = open();
        for error in refused {
            output.note(format!("note: {error}; this run goes on without it"));
        }
        store
    })
}

/// Opens what can be used of what the environment asks for, and says what cannot.
fn open() -> (Store, Vec<PlaceError>) {
    let variable = |name: &str| std::env::var_os(name);
    let mut refused = Vec::new();
    let store = Store::open(&Place::of(variable), BUILD, Store::LIMIT);
    let mut store = store.unwrap_or_else(|error| {
        refused.push(error);
        Store::OFF
    });
    let shared = SharedPlace::of(variable).and_then(|place| {
        place
            .map(|place| Shared::open(&place, BUILD, SHARED_LIMIT))
            .transpose()
    });
    match shared {
        Ok(Some(shared)) => store = store.beside(shared),
        Ok(None) => {}
        Err(error) => refused.push(error),
    }
    (store, refused)
}

/// Waits until everything is kept that this process has found, and for a while until others
/// can find it; says what went wrong there.
pub(crate) fn finish(output: &Output) {
    let fault = STORE.get().and_then(|store| store.finish(WAIT));
    if let Some(fault) = fault {
        output.note(format!("note: {fault}; this run went on without it"));
    }
}

pub(crate) fn run(args: &StoreArgs, output: &Output) -> Outcome {
    let (store, refused) = open();
    // Whoever asks about the store is told what other commands go on without.
    if let Some(error) = refused.first() {
        return Err(Failure::of(error));
    }
    if store.folder().is_none() {
        output.line("there is no store: HAYWARD_STORE names a folder, or is `off`");
        output.document(&serde_json::json!({ "on": false }));
        return Ok(End::Done);
    }
    if args.clear && !store.clear() {
        return Err(Failure::new("the store cannot be cleared"));
    }
    let Some(usage) = store.usage() else {
        return Err(Failure::new("the store cannot be read"));
    };
    let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    output.line(format!(
        "{}: {}, {} of {}",
        in_line(&usage.folder),
        counted(usage.entries as usize, "entry").replace("entrys", "entries"),
        mebibytes(usage.bytes),
        mebibytes(usage.limit),
    ));
    output.document(&serde_json::json!({
        "on": true,
        "folder": usage.folder,
        "entries": usage.entries,
        "bytes": usage.bytes,
        "limit": usage.limit,
    }));
    Ok(End::Done)
}
