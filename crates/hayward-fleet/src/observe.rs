//! Observing a host: a reading is minted only from bytes read there.

use crate::error::{Error, Result};
use crate::identity::{self, Identity};
use crate::state;
use crate::transport::root_of;
use crate::tree::Tree;
use crate::unit_load::{self, Units};
use hayward_model::{HostAnswer, HostRow};
use std::path::Path;

/// What an observation found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The answer, for the model.
    pub answer: HostAnswer,
    /// Who the host says it is; only with an answer that was read whole.
    pub identity: Option<Identity>,
    /// The last generation applied there, 0 for none; only with an answer that
    /// was read whole.
    pub generation: Option<u64>,
}

impl Observation {
    /// Of a host whose answer cannot be used, and why.
    pub(crate) fn unreadable(row: &HostRow, cause: String) -> Self {
        Self::unanswered(HostAnswer::Unreadable {
            host: row.name.clone(),
            cause,
        })
    }

    fn unanswered(answer: HostAnswer) -> Self {
        Self {
            answer,
            identity: None,
            generation: None,
        }
    }
}

/// Reads some units of a host. A name with `*`, which stands for any characters,
/// is a pattern: every unit is read of which a unit directory holds the file or a
/// directory of drop-ins. `project` is where the roster's relative paths start.
///
/// The host is *silent* if its tree is not there. It is *unreadable* if it is
/// not the host of the roster, if an apply is under way or was interrupted, or
/// if anything that was asked for cannot be interpreted; never half an answer.
#[must_use]
pub fn observe(row: &HostRow, units: &[String], project: &Path) -> Observation {
    match read(row, units, project) {
        Ok(observation) => observation,
        Err(error @ (Error::NoTree { .. } | Error::Tree { .. })) => {
            Observation::unanswered(HostAnswer::Silent {
                host: row.name.clone(),
                cause: error.to_string(),
            })
        }
        Err(error) => Observation::unreadable(row, error.to_string()),
    }
}

fn read(row: &HostRow, units: &[String], project: &Path) -> Result<Observation> {
    let tree = Tree::open(&row.name, &root_of(row, project))?;
    let identity = identity::identify(&tree)?;
    let state = state::read(&tree)?;
    let listed = Units::list(&tree)?;
    let mut readings = Vec::new();
    for unit in listed.expand(units)? {
        readings.push(unit_load::read(&listed, &state.manifest, &unit)?);
    }
    // An apply that ran meanwhile would have given a mixture.
    if state::read(&tree)?.seal != state.seal {
        return Err(Error::Interrupted {
            host: row.name.clone(),
            path: crate::paths::generation(),
        });
    }
    Ok(Observation {
        answer: HostAnswer::Answered {
            host: row.name.clone(),
            units: readings,
        },
        generation: Some(state.number()),
        identity: Some(identity),
    })
}
