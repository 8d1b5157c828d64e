//! A corpus of the size of a founding system: thousands of modules with types, matches, tables,
//! notes and witnesses. It has no peers; it is what checking and testing are measured on.

mod domain;
mod prose;
mod random;
mod witness;

use crate::files::File;
use domain::Domain;
use prose::Name;
use random::Random;

/// How many modules of each sort a corpus has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Modules of types, functions and tables.
    pub(crate) domains: usize,
    /// Modules of witnesses; [`WITNESSES`] each. No more than domains.
    pub(crate) tests: usize,
}

/// How many witnesses a test module has.
pub(crate) const WITNESSES: usize = 16;

impl Size {
    /// 5,000 modules, 28,000 witnesses.
    pub(crate) const FOUNDING: Size = Size {
        domains: 3_250,
        tests: 1_750,
    };

    /// The most domains that a corpus may have: their names run out.
    pub(crate) const MOST_DOMAINS: usize = Name::COUNT;

    /// Modules in the proportions of the founding corpus.
    pub(crate) fn of(modules: usize) -> Size {
        let tests = modules * Size::FOUNDING.tests / 5_000;
        Size {
            domains: modules - tests,
            tests,
        }
    }
}

/// Every module of a corpus. The same size gives the same text.
pub(crate) fn files(size: Size) -> Vec<File> {
    let mut random = Random::new(0x5eed_0fda);
    let mut domains: Vec<Domain> = Vec::with_capacity(size.domains);
    let mut files = vec![File::new("facts.dag", FACTS)];
    for index in 1..size.domains {
        let domain = Domain::new(index - 1, &domains, &mut random);
        files.push(File::new(
            format!("{}/{}.dag", domain.name.area(), domain.name.snake()),
            domain.text(&domains, &mut random),
        ));
        domains.push(domain);
    }
    // Spread evenly, so that early and late modules are both tested.
    for index in 0..size.tests.min(domains.len()) {
        let subject = index * domains.len() / size.tests;
        let name = &domains[subject].name;
        files.push(File::new(
            format!("{}/{}_test.dag", name.area(), name.snake()),
            witness::text(subject, &domains, &mut random),
        ));
    }
    files
}

/// The last domain's file after an edit of a note in its table of facts. Edits with different
/// numbers differ; the one with 0 changes nothing.
pub(crate) fn with_leaf_edited(files: &[File], size: Size, edit: usize) -> File {
    // The first file is that of the facts; the tests follow the domains.
    let mut file = files[size.domains - 1].clone();
    const NOTE: &str = "    note: \"";
    if let Some(at) = file.text.rfind(NOTE).filter(|_| edit > 0) {
        file.text
            .insert_str(at + NOTE.len(), &format!("Edit {edit}. "));
    }
    file
}

const FACTS: &str = r#"module corpus.facts
// What is known, from where, and how sure it is. Every module of the corpus has a table of these.

// How a fact came to be known.
type Source
  = Measured { runs: Nat }
  | Documented { place: NonEmptyStr }
  | Decided { by: NonEmptyStr }

type Fact { key: NonEmptyStr, note: NonEmptyStr, source: Source }

fn sureness(fact: Fact) -> Int {
  match fact.source {
    Measured { runs } => runs
    Documented { place: _ } => 1
    Decided { by: _ } => 0
  }
}
"#;
