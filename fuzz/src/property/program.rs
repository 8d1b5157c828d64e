//! A state of a case, checked.

use crate::case::SourceFile;
use dag_analysis::core::Module;
use dag_analysis::types::{Ty, TyKind};
use dag_analysis::{Checked, Library, Past, check_after};
use dag_syntax::{Diagnostic, SourceId, Sources, format, parse};

/// Files, and what a check says of them.
#[derive(Debug)]
pub struct Program {
    /// The files, without the library.
    pub files: Vec<SourceFile>,
    /// All texts.
    pub sources: Sources,
    /// What the check said.
    pub checked: Checked,
}

impl Program {
    /// Checks the files, from nothing.
    #[must_use]
    pub fn of(files: &[SourceFile]) -> Self {
        Self::after(files, Past::NONE)
    }

    /// Checks the files after earlier runs.
    #[must_use]
    pub fn after(files: &[SourceFile], past: Past) -> Self {
        let own = files.iter();
        let own = own.map(|file| (file.path.as_str(), file.text.as_str()));
        let (sources, inputs) = dag_given::texts(own);
        let checked = check_after(&sources, &inputs, Library::Loaded, past, |_| true);
        Self {
            files: files.to_vec(),
            sources,
            checked,
        }
    }

    /// The same files in the one layout; none if one of them has a mistake in its form.
    #[must_use]
    pub fn laid_out(&self) -> Option<Self> {
        let mut files = self.files.clone();
        for file in &mut files {
            let (tree, mistakes) = parse(SourceId(0), file.text.as_str().into());
            if !mistakes.is_empty() {
                return None;
            }
            file.text = format(&tree);
        }
        Some(Self::of(&files))
    }

    /// The modules of the files, without the library's.
    pub fn own_modules(&self) -> impl Iterator<Item = &Module> {
        let library: Vec<SourceId> = self.library().collect();
        let modules = self.checked.program.modules.iter();
        modules
            .map(AsRef::as_ref)
            .filter(move |module| !library.contains(&module.source))
    }

    fn library(&self) -> impl Iterator<Item = SourceId> {
        let infos = self.checked.modules.iter();
        infos.filter(|info| info.library).map(|info| info.source)
    }

    /// What the diagnostics say, without their places.
    #[must_use]
    pub fn said(&self) -> Vec<String> {
        self.checked.diagnostics.iter().map(without_place).collect()
    }

    /// The core of the files' modules: other modules by name, so that programs are compared whose
    /// modules have other numbers.
    #[must_use]
    pub fn core(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.own_modules().map(|m| self.core_of(m)).collect();
        texts.sort();
        texts
    }

    /// The same without places.
    #[must_use]
    pub fn core_without_places(&self) -> Vec<String> {
        self.core().iter().map(|text| without_spans(text)).collect()
    }

    fn core_of(&self, module: &Module) -> String {
        let mut text = format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            module.name,
            module.types,
            module.decls,
            module.body,
            module.operations,
            module.resources
        );
        // Behind the last one stands what every other number means.
        let end = module.table.kind(Ty(u32::MAX));
        let kinds = (0..).map(|ty| module.table.kind(Ty(ty)));
        let is_end = |kind: &TyKind| kind == end;
        let mut seen_end = 0;
        for kind in kinds {
            seen_end = if is_end(kind) { seen_end + 1 } else { 0 };
            if seen_end > 2 {
                break;
            }
            text.push_str(&format!(" {kind:?}"));
        }
        for (id, other) in self.checked.program.modules.iter().enumerate().rev() {
            text = text.replace(&format!("ModuleId({id})"), other.name.as_str());
        }
        text
    }
}

/// What a diagnostic says.
pub(super) fn without_place(diagnostic: &Diagnostic) -> String {
    format!("{}: {}", diagnostic.code, diagnostic.message)
}

/// Takes every `Span { … }` out.
fn without_spans(text: &str) -> String {
    const SPAN: &str = "Span {";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SPAN) {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out + rest
}
