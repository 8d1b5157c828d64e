//! The store of this process, and `hayward store`.

use crate::args::StoreArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, counted};
use hayward_store::{Place, Shared, SharedPlace, Store};
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
        let variable = |name: &str| std::env::var_os(name);
        let note = |error| output.note(format!("note: {error}; this run goes on without it"));
        let store = Store::open(&Place::of(variable), BUILD, Store::LIMIT);
        let store = store.unwrap_or_else(|error| {
            note(error);
            Store::OFF
        });
        let shared = match SharedPlace::of(variable) {
            Ok(None) => return store,
            Ok(Some(place)) => Shared::open(&place, BUILD, SHARED_LIMIT),
            Err(error) => Err(error),
        };
        match shared {
            Ok(shared) => store.beside(shared),
            Err(error) => {
                note(error);
                store
            }
        }
    })
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
    let store = of_environment(output);
    if !store.is_on() {
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
        usage.folder.display(),
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
