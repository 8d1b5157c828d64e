//! Where a file is, as a URI reference (RFC 3986).

use crate::format::{ArtifactLocation, Base, Message};
use std::collections::BTreeMap;

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the project: its path from the project's folder, with `/`.
    Project(String),
    /// In the library that is built into the program: its path there.
    Library(String),
    /// Elsewhere: its absolute path.
    Elsewhere(String),
}

/// The name that GitHub and others know for the root of the sources.
const PROJECT: &str = "%SRCROOT%";
const LIBRARY: &str = "HAYWARD_LIBRARY";

/// What the relative paths are relative to.
pub(crate) fn bases() -> BTreeMap<&'static str, Base> {
    let base = |text: &str| Base {
        description: Message { text: text.into() },
    };
    BTreeMap::from([
        (
            PROJECT,
            base("the project's folder, or where the command ran if roots were named"),
        ),
        (LIBRARY, base("the library that is built into hayward")),
    ])
}

impl Place {
    pub(crate) fn location(&self) -> ArtifactLocation {
        let (uri, uri_base_id) = match self {
            Self::Project(path) => (dag_uri::path(path), Some(PROJECT)),
            Self::Library(path) => (dag_uri::path(path), Some(LIBRARY)),
            Self::Elsewhere(path) => (format!("file://{}", dag_uri::path(path)), None),
        };
        ArtifactLocation { uri, uri_base_id }
    }
}
