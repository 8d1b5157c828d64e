//! Disks that are full or may not be written. Each is a file system of its own, mounted where
//! nobody else sees it.

use crate::common::{Project, Run, with_mounts};
use std::process::Output;

/// Runs a script in the project. `$0` is the program; `list` names all that is on the host, and
/// `fill N` leaves N pages of a file system.
fn script(project: &Project, script: &str) -> Run {
    let prelude = r#"
        cd "$1"
        list() { (cd hosts/builder && find . ! -name fill -printf '%p %y %m\n' | sort && find . -type f ! -name fill -exec cat {} +); }
        fill() {
            dd if=/dev/zero of="$1/fill" bs=4096 2>/dev/null || true
            truncate -s "-$(($2 * 4096))" "$1/fill"
        }
        expect() { # CODE TEXT COMMAND...
            code="$1" text="$2"
            shift 2
            "$@" >"$TMP/out" 2>&1 && ended=0 || ended=$?
            if [ "$ended" != "$code" ] || ! grep -q "$text" "$TMP/out"; then
                echo "expected $code and $text, got $ended from $*:" && cat "$TMP/out"
                exit 9
            fi
        }
    "#;
    let temporary = project.beside("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let whole = format!("TMP='{}'\n{prelude}\n{script}", temporary.display());
    let output: Output = with_mounts(&whole, &[project.root().as_os_str()]);
    Run::of(output, script)
}

#[test]
fn a_host_on_a_full_disk_is_left_as_it_was() {
    let project = Project::starter();
    let run = script(
        &project,
        r#"
        mount -t tmpfs -o size=160k,mode=755 tmpfs hosts/builder
        mkdir hosts/builder/etc
        echo builder >hosts/builder/etc/hostname
        list >"$TMP/before"
        pages=0
        while :; do
            fill hosts/builder "$pages"
            "$0" apply --yes >"$TMP/out" 2>&1 && break
            grep -q 'the disk is full' "$TMP/out" || { cat "$TMP/out"; exit 9; }
            list >"$TMP/after"
            cmp "$TMP/before" "$TMP/after"
            pages=$((pages + 1))
        done
        echo "refused with up to $pages pages"
        "$0" ledger verify
        expect 0 'nothing to do' "$0" apply --yes
    "#,
    );
    let run = run.done().says(&["whole"]);
    // It was refused at more than one point on the way.
    assert!(
        !run.out.contains("up to 0 pages") && !run.out.contains("up to 1 pages"),
        "{}",
        run.all()
    );
}

#[test]
fn a_change_on_a_full_disk_leaves_the_old_state() {
    let project = Project::starter();
    script(
        &project,
        r#"
        mount -t tmpfs -o size=160k,mode=755 tmpfs hosts/builder
        mkdir hosts/builder/etc
        echo builder >hosts/builder/etc/hostname
        expect 0 'generation 1' "$0" apply --yes
        sed -i 's/gibibytes(count: 8)/gibibytes(count: 9)/' units.dag
        list >"$TMP/before"
        fill hosts/builder 0
        expect 1 'the disk is full' "$0" apply --yes
        list >"$TMP/after"
        cmp "$TMP/before" "$TMP/after"
        rm hosts/builder/fill
        expect 0 'generation 2, 1 path changed' "$0" apply --yes
    "#,
    )
    .done();
}

#[test]
fn a_full_ledger_refuses_before_a_host_is_touched() {
    let project = Project::starter();
    script(
        &project,
        r#"
        mkdir .hayward
        mount -t tmpfs -o size=600k,mode=700 tmpfs .hayward
        expect 0 'never applied' "$0" observe
        fill .hayward 0
        stamps() { find hosts rendered .github -printf '%p %y %m %i %T@ %s\n' 2>/dev/null | sort; }
        stamps >"$TMP/before"
        list >>"$TMP/before"
        for words in 'apply --yes' 'observe' 'plan' 'render'; do
            expect 2 'no room to write' "$0" $words
        done
        stamps >"$TMP/after"
        list >>"$TMP/after"
        cmp "$TMP/before" "$TMP/after"
        rm .hayward/fill
        expect 0 'whole' "$0" ledger verify
        expect 0 'generation 1' "$0" apply --yes
    "#,
    )
    .done();
}

#[test]
fn a_read_only_tree_is_left_alone() {
    let project = Project::starter();
    script(
        &project,
        r#"
        mount --bind hosts/builder hosts/builder
        mount -o remount,bind,ro hosts/builder
        list >"$TMP/before"
        expect 0 '2 to create' "$0" plan
        expect 1 'the tree is read-only' "$0" apply --yes
        expect 0 'read 1 unit' "$0" observe
        list >"$TMP/after"
        cmp "$TMP/before" "$TMP/after"
        umount hosts/builder
        expect 0 'generation 1' "$0" apply --yes
    "#,
    )
    .done();
}

#[test]
fn a_read_only_ledger_refuses_before_a_host_is_touched() {
    let project = Project::read_back();
    project.change_limit(9);
    script(
        &project,
        r#"
        mount --bind .hayward .hayward
        mount -o remount,bind,ro .hayward
        list >"$TMP/before"
        for words in 'apply --yes' 'observe' 'plan' 'render'; do
            expect 2 'ledger' "$0" $words
        done
        list >"$TMP/after"
        cmp "$TMP/before" "$TMP/after"
        umount .hayward
        expect 0 'generation 2' "$0" apply --yes
    "#,
    )
    .done();
}

#[test]
fn a_project_that_cannot_be_written_is_not_half_rendered() {
    let project = Project::starter();
    script(&project, r#"
        expect 0 'job? no' "$0" render
        sed -i 's/gibibytes(count: 8)/gibibytes(count: 9)/; s/fleet.units.runner_unit on/runner on/' units.dag
        sed -i 's/timeout: 60/timeout: 61/' ci.dag
        stamps() { find rendered .github -printf '%p %y %m %i %T@ %s\n' | sort; }
        mount --bind rendered rendered
        mount -o remount,bind,ro rendered
        stamps >"$TMP/before"
        expect 2 'nothing was written' "$0" render
        umount rendered
        mount --bind rendered rendered
        mount -o remount,bind,ro .github 2>/dev/null || true
        umount rendered
        stamps | grep -v '^.github/workflows d' >"$TMP/after"
        grep -v '^.github/workflows d' "$TMP/before" | cmp - "$TMP/after"
        expect 0 '~ .github/workflows/check.yml' "$0" render
    "#).done();
}
