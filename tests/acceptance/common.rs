//! A project to try things on, the program, and what stood on the disk before and after.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The program under test.
pub(crate) const HAYWARD: &str = env!("CARGO_BIN_EXE_hayward");

pub(crate) const UNITS: &str = "etc/systemd/system";
pub(crate) const RUNNER: &str = "etc/systemd/system/actions-runner@.service";
pub(crate) const WORKFLOW: &str = ".github/workflows/check.yml";

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    words: String,
}

impl Run {
    pub(crate) fn of(output: Output, words: &str) -> Self {
        assert_ne!(output.status.code(), Some(124), "`{words}` hangs");
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            words: words.to_owned(),
        }
    }

    /// All that it said, for a person who reads a failed test.
    pub(crate) fn all(&self) -> String {
        format!(
            "`{}` ended with {:?}\n{}{}",
            self.words, self.code, self.out, self.err
        )
    }

    fn ended(self, code: i32, saying: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self.says(saying)
    }

    /// It says each of these, whatever the code.
    pub(crate) fn says(self, saying: &[&str]) -> Self {
        for text in saying {
            assert!(
                self.out.contains(text) || self.err.contains(text),
                "`{text}` is not said: {}",
                self.all()
            );
        }
        self
    }

    /// Exit code 0.
    pub(crate) fn done(self) -> Self {
        self.ended(0, &[])
    }

    /// Exit code 1, with these words.
    pub(crate) fn refused(self, saying: &[&str]) -> Self {
        self.ended(1, saying)
    }

    /// Exit code 2, with these words.
    pub(crate) fn failed(self, saying: &[&str]) -> Self {
        self.ended(2, saying)
    }
}

/// A command that is ended after a minute, with 124: nothing may hang.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["--foreground", "--kill-after=5", "60"])
        .arg(program);
    clean(&mut command);
    command
}

/// Takes away what the surroundings could change.
fn clean(command: &mut Command) {
    command
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("GIT_DIR")
        // A test that is about what is kept names a store of its own.
        .env("HAYWARD_STORE", "off")
        .env("GIT_CEILING_DIRECTORIES", "/tmp:/dev/shm")
        .env("LC_ALL", "C.UTF-8");
}

/// A project, and around it room that no other test uses.
pub(crate) struct Project {
    room: TempDir,
}

impl Project {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        // In memory where there is some: every receipt and every apply syncs the disk.
        let shm = Path::new("/dev/shm");
        let room = if shm.is_dir() {
            tempfile::tempdir_in(shm).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        fs::create_dir(room.path().join("x")).unwrap();
        Self { room }
    }

    /// What `hayward init` makes.
    pub(crate) fn starter() -> Self {
        static FIRST: OnceLock<Held> = OnceLock::new();
        let first = FIRST.get_or_init(|| {
            let first = Self::empty();
            first.run(&["init", "--name", "starter"]).done();
            held(&first.root())
        });
        Self::holding(first)
    }

    /// The starter, applied, and never observed.
    pub(crate) fn applied() -> Self {
        static FIRST: OnceLock<Held> = OnceLock::new();
        let first = FIRST.get_or_init(|| {
            let first = Self::starter();
            first.run(&["apply", "--yes"]).done();
            held(&first.root())
        });
        Self::holding(first)
    }

    /// The starter, applied and observed.
    pub(crate) fn read_back() -> Self {
        static FIRST: OnceLock<Held> = OnceLock::new();
        let first = FIRST.get_or_init(|| {
            let first = Self::applied();
            first.run(&["observe"]).done();
            held(&first.root())
        });
        Self::holding(first)
    }

    /// The example fleet of four hosts, on trees that only say whose they are.
    pub(crate) fn commons() -> Self {
        let project = Self::empty();
        let fleet = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fleets/commons");
        for entry in fs::read_dir(fleet).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), project.path(entry.file_name())).unwrap();
            }
        }
        for host in ["linden", "rowan", "alder", "hazel"] {
            project.write(format!("hosts/{host}/etc/hostname"), format!("{host}\n"));
        }
        project
    }

    /// The example fleet, applied and observed.
    pub(crate) fn commons_read_back() -> Self {
        static FIRST: OnceLock<Held> = OnceLock::new();
        let first = FIRST.get_or_init(|| {
            let first = Self::commons();
            first.run(&["apply", "--yes"]).done();
            first.run(&["observe"]).done();
            held(&first.root())
        });
        Self::holding(first)
    }

    /// The same in a place of its own.
    pub(crate) fn copy(&self) -> Self {
        Self::holding(&held(&self.root()))
    }

    fn holding(held: &Held) -> Self {
        let project = Self::empty();
        for (at, mode, bytes) in held {
            let at = project.path(at);
            match bytes {
                None => fs::create_dir_all(&at).unwrap(),
                Some(bytes) => fs::write(&at, bytes).unwrap(),
            }
            set_mode(&at, *mode);
        }
        project
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.room.path().join("x")
    }

    /// A place beside the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    pub(crate) fn path(&self, at: impl AsRef<Path>) -> PathBuf {
        self.root().join(at)
    }

    /// A path of the starter's host.
    pub(crate) fn host(&self, at: &str) -> PathBuf {
        self.path("hosts/builder").join(at)
    }

    pub(crate) fn write(&self, at: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let at = self.path(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }

    pub(crate) fn read(&self, at: impl AsRef<Path>) -> String {
        let at = self.path(at);
        fs::read_to_string(&at).unwrap_or_else(|e| panic!("{}: {e}", at.display()))
    }

    pub(crate) fn has(&self, at: impl AsRef<Path>) -> bool {
        self.path(at).symlink_metadata().is_ok()
    }

    pub(crate) fn remove(&self, at: impl AsRef<Path>) {
        let at = self.path(at);
        if at.is_dir() {
            fs::remove_dir_all(at).unwrap();
        } else {
            fs::remove_file(at).unwrap();
        }
    }

    pub(crate) fn link(&self, at: impl AsRef<Path>, target: impl AsRef<Path>) {
        let at = self.path(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(target, at).unwrap();
    }

    /// A FIFO: whoever opens it to read waits for a writer.
    pub(crate) fn fifo(&self, at: impl AsRef<Path>) {
        let at = self.path(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let made = Command::new("mkfifo").arg(at).status().unwrap();
        assert!(made.success());
    }

    /// Replaces text that is there.
    pub(crate) fn edit(&self, at: impl AsRef<Path>, from: &str, to: &str) {
        let text = self.read(&at);
        assert!(text.contains(from), "`{from}` is not in {text}");
        // A new file, as an editor makes one.
        self.remove(&at);
        self.write(at, text.replace(from, to));
    }

    /// Asks for another memory limit: a change of one path.
    pub(crate) fn change_limit(&self, gibibytes: u32) {
        let text = self.read("units.dag");
        let at = text.find("gibibytes(count: ").unwrap() + "gibibytes(count: ".len();
        let end = at + text[at..].find(')').unwrap();
        self.write(
            "units.dag",
            format!("{}{gibibytes}{}", &text[..at], &text[end..]),
        );
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = command(HAYWARD);
        command.args(words).current_dir(self.root());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        let output = self.command(words).output().unwrap();
        Run::of(output, &words.join(" "))
    }

    /// Runs with `--json`: standard output is one document, and nothing else.
    pub(crate) fn json(&self, words: &[&str]) -> (i32, Value) {
        let run = self.run(&[&["--json"], words].concat());
        let value = serde_json::from_str(&run.out)
            .unwrap_or_else(|e| panic!("not one document ({e}): {}", run.all()));
        (run.code.unwrap(), value)
    }

    /// Whether the rendered workflow lets GitHub cancel, read by a reader of YAML.
    pub(crate) fn may_cancel(&self) -> bool {
        crate::yaml::cancel_in_progress(&self.read(WORKFLOW))
    }

    /// Renders, and says whether CI may cancel now.
    pub(crate) fn rendered_policy(&self) -> bool {
        self.run(&["render"]).done();
        self.may_cancel()
    }

    /// Everything in the project and in its hosts.
    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(self.room.path())
    }

    /// Does something that must not write.
    pub(crate) fn untouched<T>(&self, act: impl FnOnce(&Self) -> T) -> T {
        let before = self.snapshot();
        let result = act(self);
        same(&before, &self.snapshot());
        result
    }
}

/// Files and folders with their permissions; a folder has no bytes, and is before what it holds.
type Held = Vec<(PathBuf, u32, Option<Vec<u8>>)>;

/// What a folder holds, to be written elsewhere. It is kept in memory: what a static held on the
/// disk would stay there.
fn held(root: &Path) -> Held {
    let mut all = Held::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let at = entry.unwrap().path();
            let meta = at.symlink_metadata().unwrap();
            let bytes = if meta.is_dir() {
                todo.push(at.clone());
                None
            } else {
                assert!(meta.is_file(), "{} is not copied", at.display());
                Some(fs::read(&at).unwrap())
            };
            let name = at.strip_prefix(root).unwrap().to_owned();
            all.push((name, meta.mode() & 0o7777, bytes));
        }
    }
    all
}

/// A path's kind and permissions, inode, time of change in nanoseconds, and bytes.
type Stand = (u32, u64, i128, Vec<u8>);
pub(crate) type Snapshot = BTreeMap<PathBuf, Stand>;

/// What stands below a folder. Left out is SQLite's shared memory, which every reader touches.
pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut all = Snapshot::new();
    let mut todo = vec![root.to_owned()];
    while let Some(at) = todo.pop() {
        let meta = at.symlink_metadata().unwrap();
        let kind = meta.file_type();
        let bytes = if kind.is_dir() {
            todo.extend(fs::read_dir(&at).unwrap().map(|e| e.unwrap().path()));
            Vec::new()
        } else if kind.is_symlink() {
            fs::read_link(&at)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else if kind.is_file() {
            fs::read(&at).unwrap()
        } else {
            Vec::new()
        };
        if at.extension().is_some_and(|e| e == "db-shm") {
            continue;
        }
        let time = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
        let stand = (meta.mode(), meta.ino(), time, bytes);
        all.insert(at.strip_prefix(root).unwrap().to_owned(), stand);
    }
    all
}

/// Fails if anything differs.
pub(crate) fn same(before: &Snapshot, after: &Snapshot) {
    let mut text = String::new();
    for (path, stand) in before {
        match after.get(path) {
            None => writeln!(text, "{} is gone", path.display()).unwrap(),
            Some(now) if now != stand => {
                writeln!(text, "{} changed", path.display()).unwrap();
            }
            Some(_) => {}
        }
    }
    for path in after.keys().filter(|p| !before.contains_key(*p)) {
        writeln!(text, "{} is new", path.display()).unwrap();
    }
    assert!(text.is_empty(), "{text}");
}

/// What a path holds and may, without its time and inode.
pub(crate) fn contents(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let all = snapshot(root).into_iter();
    all.map(|(path, (mode, _, _, bytes))| (path, (mode, bytes)))
        .collect()
}

pub(crate) fn set_mode(at: &Path, mode: u32) {
    fs::set_permissions(at, PermissionsExt::from_mode(mode)).unwrap();
}

pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A shell in a mount namespace of its own, where it may mount: what it mounts is gone with it.
pub(crate) fn with_mounts(script: &str, arguments: &[&OsStr]) -> Output {
    let mut command = command("unshare");
    if !is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command
        .args(["--mount", "sh", "-ec", script, HAYWARD])
        .args(arguments);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !text.contains("unshare:") && !text.contains("mount:"),
        "this test mounts a file system of its own, which is not allowed here: run it as root, or \
         where user namespaces may be made\n{text}"
    );
    output
}
