//! `hayward demo`: the commands of the whole flow, one after the other, on the
//! example fleet. Nothing here is canned: each line is printed by the command
//! that is named above it.

use crate::args::{
    ApplyArgs, CheckArgs, Command, DemoArgs, FormatArgs, HistoryArgs, HostArgs, LedgerArgs,
    LedgerCommand, ObserveArgs, ProjectArgs, RenderArgs, RootArgs, TestArgs,
};
use crate::failure::{End, Failure, Outcome};
use crate::fleets;
use crate::init::write;
use crate::output::{Output, Tone};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const HOSTS: [&str; 4] = ["linden", "rowan", "alder", "hazel"];
const RUNNER_UNIT: &str = "etc/systemd/system/actions-runner@.service";
const WORKFLOW: &str = ".github/workflows/check.yml";

pub(crate) fn run(args: &DemoArgs, output: &Output) -> Outcome {
    if output.json {
        return Err(Failure::new("the demo is for reading: it has no JSON form"));
    }
    let folder = Folder::new(args.keep.as_deref())?;
    let result = play(&Demo {
        at: folder.at.clone(),
        output,
    });
    let kept = args.keep.is_some();
    if result.is_ok() {
        let at = folder.at.display();
        output.line("");
        if kept {
            output.line(output.paint(Tone::Strong, "To look at"));
            output.line(format!("  the model               {at}/*.dag"));
            output.line(format!("  the rendered workflow   {at}/{WORKFLOW}"));
            output.line(format!(
                "  the hosts' files        {at}/rendered, {at}/hosts"
            ));
            output.line(format!(
                "  the receipts            hayward history --project {at}"
            ));
        } else {
            output.line("All of it was in a temporary folder, which is gone now.");
            output.line("Keep it to look at with: hayward demo --keep DIR");
        }
    }
    result
}

/// Where the demo takes place.
struct Folder {
    at: PathBuf,
    temporary: bool,
}

impl Folder {
    fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        let failed = |at: &Path| {
            let at = at.display().to_string();
            move |e: std::io::Error| Failure::new(format!("{at}: {e}"))
        };
        let Some(at) = keep else {
            let at = temporary_folder()?;
            clear_on_signals()?;
            return Ok(Self {
                at: TEMPORARY.get_or_init(|| at).clone(),
                temporary: true,
            });
        };
        std::fs::create_dir_all(at).map_err(failed(at))?;
        if std::fs::read_dir(at).map_err(failed(at))?.next().is_some() {
            return Err(Failure::new(format!(
                "{} is not empty; nothing was written",
                at.display()
            )));
        }
        let at = at.canonicalize().map_err(failed(at))?;
        Ok(Self {
            at,
            temporary: false,
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.temporary {
            clear();
        }
    }
}

/// The demo's folder, if it is a temporary one.
static TEMPORARY: OnceLock<PathBuf> = OnceLock::new();

/// Removes the temporary folder, if there is one. Whoever ends the program before the demo is
/// over has to call this.
pub(crate) fn clear() {
    if let Some(at) = TEMPORARY.get() {
        // Something may be written there meanwhile. A folder that cannot be removed is the
        // temporary directory's to clear.
        for _ in 0..10 {
            if std::fs::remove_dir_all(at).is_ok() {
                break;
            }
        }
    }
}

/// Lets a signal that ends the program, Ctrl-C for one, leave no folder behind.
fn clear_on_signals() -> Result<(), Failure> {
    let signals = Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.map_err(|e| Failure::of(&e))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            clear();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// A new folder that only this user can enter, with a name that nobody took.
fn temporary_folder() -> Result<PathBuf, Failure> {
    let parent = std::env::temp_dir();
    let process = std::process::id();
    let mut attempt = 0;
    loop {
        let at = parent.join(format!("hayward-demo-{process}-{attempt}"));
        match std::fs::DirBuilder::new().mode(0o700).create(&at) {
            Ok(()) => return Ok(at),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1
            }
            Err(e) => return Err(Failure::new(format!("{}: {e}", at.display()))),
        }
    }
}

struct Demo<'a> {
    at: PathBuf,
    output: &'a Output,
}

fn play(demo: &Demo<'_>) -> Outcome {
    demo.chapter("A fleet of four build hosts, each a directory tree");
    for (path, text) in fleets::COMMONS {
        write(&demo.at.join(path), text)?;
    }
    for host in HOSTS {
        write(
            &demo.at.join(format!("hosts/{host}/etc/hostname")),
            &format!("{host}\n"),
        )?;
    }
    demo.run(
        "hayward check",
        Command::Check(CheckArgs {
            roots: RootArgs {
                roots: vec![demo.at.clone()],
            },
            format: FormatArgs::default(),
        }),
        End::Done,
    )?;
    demo.run("hayward test", demo.test(), End::Done)?;

    demo.chapter("Nothing was observed yet: CI may not cancel a running job");
    demo.run("hayward render --quiet", demo.render(), End::Done)?;
    demo.workflow_says("cancel-in-progress: false")?;

    demo.chapter("The hosts are brought to what the model declares");
    demo.run("hayward apply --yes", demo.apply(), End::Done)?;
    demo.run(
        "hayward apply --yes    (again: nothing is left to do)",
        demo.apply(),
        End::Done,
    )?;

    demo.chapter("Three of the four are read back: still no");
    let three = &HOSTS[..3];
    demo.run(
        "hayward observe --host linden --host rowan --host alder",
        demo.observe(three),
        End::Done,
    )?;
    demo.run("hayward render --quiet", demo.render(), End::Done)?;
    demo.workflow_says("cancel-in-progress: false")?;

    demo.chapter("All four are read back: yes");
    demo.run("hayward observe", demo.observe(&[]), End::Done)?;
    demo.run("hayward render --quiet", demo.render(), End::Done)?;
    demo.workflow_says("cancel-in-progress: true")?;

    demo.chapter("Somebody edits a unit on hazel by hand: no again");
    demo.edit("hazel")?;
    demo.run("hayward observe", demo.observe(&[]), End::Done)?;
    demo.run("hayward render --quiet", demo.render(), End::Done)?;
    demo.workflow_says("cancel-in-progress: false")?;
    demo.run("hayward status", Command::Status(demo.project()), End::Done)?;

    demo.chapter("Every step is on record");
    let history = HistoryArgs {
        project: demo.project(),
        host: Some("hazel".into()),
        limit: 30,
        receipt: None,
    };
    demo.run(
        "hayward history hazel",
        Command::History(history),
        End::Done,
    )?;
    let verify = LedgerArgs {
        command: LedgerCommand::Verify(demo.project()),
    };
    demo.run("hayward ledger verify", Command::Ledger(verify), End::Done)
}

impl Demo<'_> {
    fn chapter(&self, title: &str) {
        self.output.line("");
        self.output
            .line(self.output.paint(Tone::Strong, &format!("== {title}")));
    }

    /// Runs a command and insists on how it ends: a demo that goes on after a
    /// surprise would show something that is not so.
    fn run(&self, words: &str, command: Command, expected: End) -> Outcome {
        self.output
            .line(self.output.paint(Tone::Quiet, &format!("$ {words}")));
        let end = crate::run(command, self.output)?;
        if end == expected {
            return Ok(End::Done);
        }
        Err(Failure::new(format!(
            "`{words}` did not end as it should; see above"
        )))
    }

    fn project(&self) -> ProjectArgs {
        ProjectArgs {
            project: Some(self.at.clone()),
        }
    }

    fn hosts(&self, hosts: &[&str]) -> HostArgs {
        HostArgs {
            project: self.project(),
            hosts: hosts.iter().map(|h| (*h).to_owned()).collect(),
        }
    }

    fn test(&self) -> Command {
        let roots = RootArgs {
            roots: vec![self.at.clone()],
        };
        Command::Test(TestArgs {
            format: FormatArgs::default(),
            roots,
            filter: None,
            list: false,
        })
    }

    fn render(&self) -> Command {
        Command::Render(RenderArgs {
            project: self.project(),
            check: false,
            quiet: true,
        })
    }

    fn apply(&self) -> Command {
        Command::Apply(ApplyArgs {
            hosts: self.hosts(&[]),
            plan: None,
            yes: true,
        })
    }

    fn observe(&self, hosts: &[&str]) -> Command {
        Command::Observe(ObserveArgs {
            hosts: self.hosts(hosts),
        })
    }

    /// Shows the line of the rendered workflow that the policy decides.
    fn workflow_says(&self, expected: &str) -> Result<(), Failure> {
        let path = self.at.join(WORKFLOW);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
        let line = text
            .lines()
            .find(|l| l.trim_start().starts_with("cancel-in-progress:"));
        let line = line.map(str::trim).unwrap_or_default();
        self.output.line(format!(
            "{WORKFLOW}: {}",
            self.output.paint(Tone::Strong, line)
        ));
        if line == expected {
            return Ok(());
        }
        Err(Failure::new(format!(
            "the workflow should say `{expected}`"
        )))
    }

    /// What an administrator might do to a host: GitHub's own runner unit has
    /// this setting.
    fn edit(&self, host: &str) -> Result<(), Failure> {
        let path = self.at.join("hosts").join(host).join(RUNNER_UNIT);
        let failed = |e: std::io::Error| Failure::new(format!("{}: {e}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let edited = text.replace("KillMode=control-group", "KillMode=process");
        std::fs::write(&path, edited).map_err(failed)?;
        let shown = "sed -i s/KillMode=control-group/KillMode=process/";
        self.output.line(self.output.paint(
            Tone::Quiet,
            &format!("$ {shown} hosts/{host}/{RUNNER_UNIT}"),
        ));
        Ok(())
    }
}
