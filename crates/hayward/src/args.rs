//! The arguments of each command.

use crate::output::{Color, Format};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hayward_operations::Limits;
use std::path::PathBuf;

/// The exit codes of a command, below its help: what each says there. That of wrong usage and of
/// what is missing, unreadable or damaged is the same everywhere.
macro_rules! exits {
    ($($row:literal),* $(,)?) => {
        concat!(
            "Exit codes:\n",
            $("  ", $row, "\n",)*
            "  2  not carried out: wrong usage, something missing, unreadable or damaged"
        )
    };
}

/// Declare, check, render and converge the commons of compute that a team owns.
#[derive(Debug, Parser)]
#[command(
    name = "hayward",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 done · 1 refused: a mistake in the model, a witness that fails, a rendered file \
                  that differs, a host that cannot be read, a plan that says no · 2 not carried out: wrong usage, something missing, unreadable \
                  or damaged · 129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM. `hayward COMMAND --help` says what they mean there"
)]
pub(crate) struct Arguments {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a project: a fleet of one directory host, with its witnesses
    #[command(after_help = exits!("0  the project was started"))]
    Init(InitArgs),
    /// Check the modules: names, types, matches, totality, evidence
    #[command(after_help = exits!("0  no mistake", "1  a mistake"))]
    Check(CheckArgs),
    /// Run the witnesses
    #[command(after_help = exits!("0  every witness holds", "1  a witness fails, or the modules have a mistake"))]
    Test(TestArgs),
    /// Write the modules in the one layout; the meaning and the annotations stay
    #[command(after_help = exits!("0  the modules are in the layout", "1  a module has a mistake; with --check, or is not in the layout"))]
    Fmt(FmtArgs),
    /// Print the value of an expression
    #[command(after_help = exits!("0  the value was printed", "1  a mistake, or the evaluation was refused"))]
    Eval(EvalArgs),
    /// Show which module imports which, what each loads, and which files are read
    #[command(after_help = exits!("0  the answer was printed", "1  a mistake in the imports; with --why, there is no way"))]
    Deps(DepsArgs),
    /// Show what differs in the rendered files between two revisions, and which lines cause it
    #[command(after_help = exits!("0  the answer was printed", "1  a model with a mistake; with --exit-code, or anything differs"))]
    Diff(DiffArgs),
    /// Write the documentation of the modules: a page a module, cross-linked
    #[command(after_help = exits!("0  the documentation was written", "1  a mistake"))]
    Doc(DocArgs),
    /// Explain a code of a mistake: the rule, why, an example and its cure; without one, list all
    #[command(after_help = exits!("0  the code was explained"))]
    Explain(ExplainArgs),
    /// Run a workflow: its operations are answered by their mocks, by a recording, or by this host
    #[command(after_help = exits!("0  the workflow ended", "1  a mistake, or the run was refused", "129, 130, 143  ended by SIGHUP, SIGINT or SIGTERM, and its program with it"))]
    Run(RunArgs),
    /// Print a line of sudoers for each operation that runs a program
    #[command(after_help = exits!("0  the lines were printed", "1  a mistake, or an operation that no line can permit"))]
    Sudoers(SudoersArgs),
    /// Write what the model keeps in the repository: CI workflows, and a copy of each host's files
    #[command(after_help = exits!("0  the files are as the model has them", "1  a mistake, or a file that was edited by hand; with --check, or a file differs"))]
    Render(RenderArgs),
    /// Show what would change on the hosts, and why; writes nothing there
    #[command(after_help = exits!(
        "0  the plan was made",
        "1  a mistake, or the plan refuses something",
        "With --exit-code: 0 nothing is to be done, 2 something is, 1 any other case",
    ))]
    Plan(PlanArgs),
    /// Bring the hosts to what the model declares, all of a host's files or none
    #[command(after_help = exits!("0  every host is as planned", "1  a mistake, a refusal, or a host that was not brought there"))]
    Apply(ApplyArgs),
    /// Read back what is in force on the hosts, and keep it in the ledger
    #[command(after_help = exits!("0  every host was read", "1  a mistake, or a host that could not be read"))]
    Observe(ObserveArgs),
    /// Show desired, observed, standing and drift of every host, and which containment stands
    #[command(after_help = exits!("0  the answer was printed", "1  a mistake"))]
    Status(ProjectArgs),
    /// Show the receipts: what was observed, planned, applied and decided, when and by whom
    #[command(after_help = exits!("0  the answer was printed"))]
    History(HistoryArgs),
    /// Look after the ledger
    #[command(after_help = exits!("0  the chain holds", "1  the chain is broken"))]
    Ledger(LedgerArgs),
    /// Run the whole flow on an example fleet in a temporary directory
    #[command(after_help = exits!("0  the flow was shown"))]
    Demo(DemoArgs),
    /// Serve an editor: the language server, on standard input and output
    #[command(after_help = exits!("0  the session ended in order", "1  it ended in another way"))]
    Lsp(LspArgs),
    /// Print a completion script for a shell
    #[command(after_help = exits!("0  the script was printed"))]
    Completions(CompletionArgs),
    /// Say how large the store of earlier findings is, or clear it
    #[command(after_help = exits!("0  done"))]
    Store(StoreArgs),
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder to start the project in
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The project's name [default: the folder's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RootArgs {
    /// Folders or files to take modules from [default: the project found upward from here]
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,
}

impl Command {
    /// The form that the command is asked to answer in, if `--json` is not given.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Check(args) => args.format.format,
            Self::Test(args) => args.format.format,
            _ => Format::Text,
        }
    }
}

/// The form of an answer that consists of findings.
#[derive(Debug, Default, Args)]
pub(crate) struct FormatArgs {
    /// The form of the answer; `--json` is short for `--format json`
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value_t,
        conflicts_with = "json"
    )]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DepsArgs {
    /// Modules to speak of, and roots. A word with a slash, `.`, `..` and a name that ends in
    /// `.dag` is a root [default: all modules of the project found upward from here]
    #[arg(value_name = "ROOT|MODULE")]
    pub(crate) words: Vec<String>,
    /// Show all that a module loads and all that load it, not just one step
    #[arg(long, conflicts_with_all = ["why", "files"])]
    pub(crate) transitive: bool,
    /// Show a shortest way of imports from module A to module B; end with 1 if there is none
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "files")]
    pub(crate) why: Vec<String>,
    /// List the files that the modules are read from, a path a line
    #[arg(long)]
    pub(crate) files: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// The revision to compare from, as git names it
    #[arg(value_name = "REV")]
    pub(crate) from: String,
    /// The revision to compare to [default: the files as they are]
    #[arg(value_name = "REV2")]
    pub(crate) to: Option<String>,
    /// Count the lines that differ, and show no text
    #[arg(long)]
    pub(crate) stat: bool,
    /// End with 1 if anything differs
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DocArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    /// The folder to write: a new one, an empty one, or one that was written by this command
    #[arg(long, short, value_name = "DIR", default_value = "doc")]
    pub(crate) out: PathBuf,
    /// The form of the pages
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: PageFormat,
    /// The whole library too, not just what the modules load of it
    #[arg(long)]
    pub(crate) library: bool,
}

/// The form of the pages of a documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// For a browser, with a search; works without a server
    #[default]
    Html,
    /// For a forge
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Run only the witnesses whose name (`module.witness`) contains this text
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// List every witness with its verdict
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    /// Write nothing; list the files that are not in the layout, and end with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// `EXPR`, or `ROOT EXPR`: the expression, in the project's names
    #[arg(value_name = "[ROOT] EXPR", num_args = 1..=2, required = true)]
    pub(crate) words: Vec<String>,
    /// Print a String as it is, without a line end added behind it; refuse any other value
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, E0302 for instance, in capital or small letters [default: list all codes]
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// Who answers operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Their mocks, or a recording: nothing is asked of the host
    Hermetic,
    /// This host
    Wet,
    /// This host, and every reply is kept
    Record,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// `FUNC`, or `ROOT FUNC`, and an expression for each of its parameters
    #[arg(value_name = "[ROOT] FUNC [NAME=VALUE]", num_args = 1.., required = true)]
    pub(crate) words: Vec<String>,
    /// Who answers the operations
    #[arg(long, value_enum, default_value_t = Mode::Hermetic)]
    pub(crate) mode: Mode,
    /// Keep every reply in this new file (`--mode record`)
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Answer a hermetic run from this recording
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// The text of a secret, by its name; may be given several times
    #[arg(long = "secret", value_name = "NAME=FILE")]
    pub(crate) secrets: Vec<String>,
    /// Seconds that a program or a request may take, at most a week
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=Limits::LONGEST.as_secs()))]
    pub(crate) deadline: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SudoersArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    /// Who may run the commands; `%GROUP` for a group
    #[arg(long, default_value = "hayward")]
    pub(crate) user: String,
    /// On which host
    #[arg(long, default_value = "ALL")]
    pub(crate) host: String,
    /// Only this service or operation; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// The operations of the built-in library too
    #[arg(long)]
    pub(crate) library: bool,
}

/// A project with a fleet.
#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    /// The project's folder [default: found upward from here]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Write nothing; say where the files differ from the model, and end with 1 if any does
    #[arg(long)]
    pub(crate) check: bool,
    /// Count the files, and list only those that are refused or differ
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Only this host; may be given several times [default: the whole roster]
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) hosts: HostArgs,
    /// Keep the plan in a file, for `hayward apply FILE`
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Take over a path that Hayward did not install, on every planned host that has it
    #[arg(long, value_name = "PATH")]
    pub(crate) adopt: Vec<String>,
    /// Show the whole text of new files too
    #[arg(long)]
    pub(crate) full: bool,
    /// End with 2 if there is something to do, with 0 only if there is nothing, and with 1 in any
    /// other case
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) hosts: HostArgs,
    /// A plan kept by `hayward plan --out`: just this is applied [default: plan now, show it, ask]
    #[arg(value_name = "PLAN")]
    pub(crate) plan: Option<PathBuf>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ObserveArgs {
    #[command(flatten)]
    pub(crate) hosts: HostArgs,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Only receipts about this host
    pub(crate) host: Option<String>,
    /// At most so many, the newest
    #[arg(long, short = 'n', value_name = "N", default_value = "30", value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// One receipt whole, by its number
    #[arg(long, value_name = "N", conflicts_with_all = ["host", "limit"])]
    pub(crate) receipt: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

impl Command {
    /// Whether its whole result is what it prints.
    pub(crate) fn only_tells(&self) -> bool {
        matches!(
            self,
            Self::Eval(_) | Self::Sudoers(_) | Self::Deps(_) | Self::Diff(_)
        )
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Walk the whole chain and name the first broken link
    #[command(after_help = exits!("0  the chain holds", "1  the chain is broken"))]
    Verify(ProjectArgs),
}

/// Stands in the place of the `--json` that all commands share, for one without such a form: it
/// is refused, and not shown in the help.
#[derive(Debug, Args)]
pub(crate) struct NoJsonForm {
    #[arg(long = "json", id = "json", hide = true)]
    pub(crate) _json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) _form: NoJsonForm,
    /// Keep everything in this folder, which must be empty or new [default: a temporary one, removed]
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

/// The language server takes what it needs from the editor.
#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    #[command(flatten)]
    pub(crate) _form: NoJsonForm,
    /// Use standard input and output, as it does anyway; some editors give this
    #[arg(long)]
    pub(crate) stdio: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    #[command(flatten)]
    pub(crate) _form: NoJsonForm,
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct StoreArgs {
    /// Take everything out of it
    #[arg(long)]
    pub(crate) clear: bool,
}

/// A number of receipts.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it would show nothing: give 1 or more".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}
