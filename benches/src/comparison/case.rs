//! What is run: which program on which model, and in what state its store is.

use super::expected::Expected;
use super::scenario::{Group, Scale, Scenario, State};
use crate::corpus;
use crate::files::{self, File};
use crate::fleet::Model;
use crate::language::{self, Hayward, Language, Shape};
use crate::measure::Invocation;
use crate::tool::{TOOLS, Tool};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One program on one model in one state.
pub(crate) struct Case {
    pub(crate) group: Group,
    pub(crate) tool: &'static Tool,
    pub(crate) scenario: Scenario,
    pub(super) invocation: Invocation,
    /// Brings the files and the store to the state before a run. The number makes an edit that was
    /// not made before; 0 is before the first edit.
    pub(super) prepare: Box<dyn FnMut(usize) -> io::Result<Expected>>,
}

/// Where Hayward keeps what it knows: a folder, or `off`.
const STORE: &str = "HAYWARD_STORE";

/// Hayward's states in which the files are as they were.
const UNEDITED: [State; 3] = [State::Cold, State::Storeless, State::Unchanged];

impl Case {
    /// How often it runs in one repetition: what is over in an instant runs more often.
    pub(super) fn turns(&self) -> usize {
        if self.group == Group::StartUp { 5 } else { 1 }
    }

    /// The same run with its counts printed, if they have a target.
    pub(super) fn counting(&self) -> Option<Invocation> {
        let edited = matches!(
            self.scenario.state,
            State::LeafEdited | State::LibraryEdited
        );
        (edited && self.scenario.command == "check").then(|| {
            let mut invocation = self.invocation.clone();
            invocation.words.push("--json".into());
            invocation
        })
    }
}

/// The cases of a group. Their models are written below `folder`.
pub(super) fn cases(
    group: Group,
    scale: &Scale,
    hayward: &Path,
    folder: &Path,
    stores: &Path,
) -> io::Result<Vec<Case>> {
    let place = Place {
        group,
        hayward,
        folder: folder.join(group.to_string().replace(' ', "-")),
        stores,
    };
    match group {
        Group::Fleet(size) => {
            let model = Model::new(size);
            let mut cases = place.evaluations(&Shape::Fleet(model.clone()))?;
            // The edits are measured where the targets are stated.
            if scale.fleets.last() == Some(&size) {
                let edits = [State::LeafEdited, State::LibraryEdited];
                for (at, state) in edits.into_iter().enumerate() {
                    cases.insert(UNEDITED.len() + at, place.fleet("eval", state, &model)?);
                }
                for state in UNEDITED.into_iter().chain(edits) {
                    cases.push(place.fleet("check", state, &model)?);
                }
            }
            Ok(cases)
        }
        Group::Corpus => place.corpus(corpus::Size::of(scale.corpus)),
        Group::Chain => place.evaluations(&Shape::Chain(scale.chain)),
        Group::Diamond => place.evaluations(&Shape::Diamond(scale.layers)),
        Group::StartUp => place.evaluations(&Shape::Short),
        Group::Format => place.formats(scale.lines),
    }
}

/// A group, and where its files are.
struct Place<'a> {
    group: Group,
    hayward: &'a Path,
    folder: PathBuf,
    stores: &'a Path,
}

impl Place<'_> {
    /// Every program that evaluates, on a model; Hayward in the states without an edit.
    fn evaluations(&self, shape: &Shape) -> io::Result<Vec<Case>> {
        let outcome = Rc::new(shape.output());
        let mut written: Vec<&str> = Vec::new();
        let mut cases = Vec::new();
        for tool in TOOLS.iter().filter(|tool| tool.evaluates()) {
            let extension = tool.language.extension();
            let folder = self.folder.join(extension);
            if !written.contains(&extension) {
                files::write_all(&folder, &shape.files(tool.language))?;
                written.push(extension);
            }
            let states: &[State] = if tool.is_own() {
                &UNEDITED
            } else {
                &[State::Only]
            };
            for state in states {
                let outcome = Rc::clone(&outcome);
                cases.push(self.case(
                    tool,
                    "eval",
                    *state,
                    tool.evaluation(self.hayward, &folder),
                    move |_| Ok(Expected::Json(Rc::clone(&outcome))),
                ));
            }
        }
        Ok(cases)
    }

    /// Hayward on a fleet. Where there are edits, it has files of its own.
    fn fleet(&self, command: &'static str, state: State, model: &Model) -> io::Result<Case> {
        let own = &TOOLS[0];
        let edited = matches!(state, State::LeafEdited | State::LibraryEdited);
        let folder = if edited {
            self.folder.join(format!("dag-{command}-{state:?}"))
        } else {
            self.folder.join("dag")
        };
        files::write_all(&folder, &Shape::Fleet(model.clone()).files(&Hayward))?;
        let invocation = if command == "eval" {
            own.evaluation(self.hayward, &folder)
        } else {
            own.invocation(self.hayward, &[command, "@"], &folder)
        };
        let plain = Rc::new(Shape::Fleet(model.clone()).output());
        let model = model.clone();
        Ok(self.case(own, command, state, invocation, move |edit| {
            let mut outcome = Rc::clone(&plain);
            if edited {
                let edited = match state {
                    State::LibraryEdited => model.with_library_edited(edit),
                    _ => model.with_leaf_edited(edit),
                };
                files::write_all(&folder, &edited_files(&edited, state))?;
                if command == "eval" {
                    outcome = Rc::new(Shape::Fleet(edited).output());
                }
            }
            Ok(if command == "eval" {
                Expected::Json(outcome)
            } else {
                Expected::Says("no mistakes".to_owned())
            })
        }))
    }

    /// Hayward on the corpus.
    fn corpus(&self, size: corpus::Size) -> io::Result<Vec<Case>> {
        let own = &TOOLS[0];
        let written = Rc::new(corpus::files(size));
        let plain = self.folder.join("dag");
        files::write_all(&plain, &written)?;
        let mut cases = Vec::new();
        for command in ["check", "test"] {
            for state in UNEDITED.into_iter().chain([State::LeafEdited]) {
                let edited = state == State::LeafEdited;
                let folder = if edited {
                    let folder = self.folder.join(format!("dag-{command}-{state:?}"));
                    files::write_all(&folder, &written)?;
                    folder
                } else {
                    plain.clone()
                };
                let invocation = own.invocation(self.hayward, &[command, "@"], &folder);
                let written = Rc::clone(&written);
                let says = match command {
                    "test" => format!("{} passed, 0 failed", size.tests * corpus::WITNESSES),
                    _ => "no mistakes".to_owned(),
                };
                cases.push(self.case(own, command, state, invocation, move |edit| {
                    if edited {
                        let leaf = corpus::with_leaf_edited(&written, size, edit);
                        files::write_all(&folder, &[leaf])?;
                    }
                    Ok(Expected::Says(says.clone()))
                }));
            }
        }
        Ok(cases)
    }

    /// Every program that formats, on one long file.
    fn formats(&self, lines: usize) -> io::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for tool in TOOLS {
            let Some(format) = &tool.format else { continue };
            let File { path, text } = language::long_file(tool.language, lines);
            let text: Rc<str> = text.into();
            let folder = self.folder.join(tool.name.replace(' ', "-"));
            let file = folder.join(&path);
            std::fs::create_dir_all(&folder)?;
            let Some(invocation) = tool.formatting(self.hayward, &file) else {
                continue;
            };
            cases.push(self.case(tool, "fmt", State::Only, invocation, move |_| {
                std::fs::write(&file, text.as_bytes())?;
                Ok(Expected::Layout {
                    text: Rc::clone(&text),
                    file: format.writes.then(|| file.clone()),
                    code: format.code,
                })
            }));
        }
        Ok(cases)
    }

    /// A case, with the store that its state asks for.
    fn case(
        &self,
        tool: &'static Tool,
        command: &'static str,
        state: State,
        mut invocation: Invocation,
        mut files: impl FnMut(usize) -> io::Result<Expected> + 'static,
    ) -> Case {
        let name = format!("{} {command} {state:?}", self.group).replace(' ', "-");
        let store = self.stores.join(name);
        if tool.is_own() {
            let value = if matches!(state, State::Storeless | State::Only) {
                "off".into()
            } else {
                store.clone().into_os_string()
            };
            invocation.environment.push((STORE.to_owned(), value));
        }
        Case {
            group: self.group,
            tool,
            scenario: Scenario { command, state },
            invocation,
            prepare: Box::new(move |edit| {
                if (state == State::Cold || edit == 0) && store.exists() {
                    std::fs::remove_dir_all(&store)?;
                }
                files(edit)
            }),
        }
    }
}

/// The files that an edit in a state may have changed.
fn edited_files(model: &Model, state: State) -> Vec<File> {
    if state == State::LibraryEdited {
        return Hayward.library(model);
    }
    model
        .services
        .last()
        .map(|s| File::new(format!("{}.dag", s.name()), Hayward.service(s)))
        .into_iter()
        .collect()
}
