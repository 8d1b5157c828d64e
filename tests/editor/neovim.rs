//! A real editor: Neovim 0.7 or later with its own client, without a window.

use crate::names::UNITS;
use expect_test::expect;
use std::process::{Command, Stdio};

const USER: &str = "module site.hosts\n\nimport site.units { base, delay, Never, Service }\n\nfn named(name: String) -> Service = Service { name, restart: Never, ports: [] }\n\ndata wait: Int = delay(restart: base.restrat)\n\ndata all: List<Service> = [base]\n";

#[test]
fn neovim_works_with_the_server() {
    let present = Command::new("nvim")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !present.is_ok_and(|status| status.success()) {
        println_not_run("Neovim drives the language server: nvim is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (path, text) in [
        ("hayward.toml", "[project]\nname = \"x\"\n"),
        ("units.dag", UNITS),
        ("hosts.dag", USER),
    ] {
        std::fs::write(root.join(path), text).unwrap();
    }
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/editor/session.lua"
    );
    let result = root.join("result");
    let run = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd"])
        .arg(format!("luafile {script}"))
        .arg("hosts.dag")
        .current_dir(&root)
        .env("HAYWARD", env!("CARGO_BIN_EXE_hayward"))
        .env("RESULT", &result)
        .env("XDG_CACHE_HOME", root.join(".cache"))
        .env("XDG_STATE_HOME", root.join(".state"))
        .env("XDG_CONFIG_HOME", root.join(".config"))
        .env("XDG_DATA_HOME", root.join(".data"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    let result = std::fs::read_to_string(result).unwrap_or_else(|_| panic!("{said}"));
    expect![[r#"
        # diagnostics
        7:38 Service has no field `restrat`
        # code action
        Write `restart`
        data wait: Int = delay(restart: base.restart)
        # hover
        ```dag
        fn delay(restart: Restart) -> Int
        ```

        How long a restart waits, in seconds.
        # definition
        units.dag:13: fn delay(restart: Restart) -> Int {
        # completion
        bare_marks base
        # rename
        fn named(label: String) -> Service = Service { name: label, restart: Never, ports: [] }
        # signature
        fn delay(restart: Restart) -> Int
        # format
        data all: List<Service> = [base]
        # stopped
    "#]]
    .assert_eq(&result);
    assert!(run.status.success(), "{said}");
}

#[allow(clippy::print_stdout)] // how `make test` learns that a test did not run
fn println_not_run(what: &str) {
    println!("NOT RUN: {what}");
}
