//! A change of the model alone cannot let CI cancel running jobs. Each way that anybody thought
//! of is tried on a fleet of which nobody has read a host: it is refused and nothing is written,
//! or the workflow says no.

use crate::common::{Project, RUNNER, Run, WORKFLOW};
use crate::yaml::{Node, read};

/// What becomes of an attempt.
#[derive(Clone, Copy)]
enum Ends {
    /// The model is refused with this code.
    Refused(&'static str),
    /// The model is fine; the workflow says no.
    No,
}
use Ends::{No, Refused};

const CANCEL: &str = "cancel_running(standing: standing)";

/// Tries it. That it is not the fleet that fails is shown below: the same fleet, read, says yes.
fn attempt(ends: Ends, change: impl Fn(&Project)) {
    let project = Project::applied();
    change(&project);
    match ends {
        Refused(code) => {
            let error = format!("error[{code}]");
            project.untouched(|p| {
                p.run(&["check"]).refused(&[&error]);
                p.run(&["render"]).refused(&[&error, "nothing was done"]);
            });
            assert!(!project.has(WORKFLOW));
        }
        No => {
            let run = project.run(&["render"]).done();
            assert!(run.out.contains("job? no"), "{}", run.all());
            assert!(!project.may_cancel());
        }
    }
}

/// An expression in the place of the policy's answer, with what it needs: further lines of
/// imports and items.
fn answer(ends: Ends, imports: &str, items: &str, expression: &str) {
    attempt(ends, |p| {
        p.edit("main.dag", CANCEL, expression);
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }\n",
            &format!("{imports}\nimport fleet.ci {{ workflow }}\n"),
        );
        p.write("main.dag", format!("{}\n{items}\n", p.read("main.dag")));
    });
}

#[test]
fn a_fleet_that_was_read_says_yes() {
    let project = Project::read_back();
    assert!(project.rendered_policy());
}

#[test]
fn a_fleet_that_was_not_read_says_no() {
    attempt(No, |_| ());
}

const READINGS: &str = "import host.reading { Answered, FleetReadings, HostAnswer, UnitReading, UnitSetting, UnitSource }\nimport host.standing { FleetStanding, Preserves, Withheld, fleet_standing }\nimport host.policy { Allowed, CancelRunning, Forbidden }\nimport std.measure { seconds }\nimport fleet.hosts { builder }";

/// A reading as an observer would have made it, in the model's words.
const FORGED: &str = "FleetReadings { roster: [builder], answers: [], now: 0, max_age: seconds(count: 1), evidence: \"mine\" }";

#[test]
fn a_literal_of_the_policys_answer() {
    answer(
        Refused("E0602"),
        READINGS,
        "",
        "Allowed { evidence: \"mine\" }",
    );
}

#[test]
fn a_positional_literal() {
    answer(Refused("E0304"), READINGS, "", "Allowed(\"mine\")");
}

#[test]
fn a_fully_qualified_literal() {
    answer(
        Refused("E0602"),
        "",
        "",
        "host.policy.Allowed { evidence: \"mine\" }",
    );
}

#[test]
fn a_literal_in_a_data_item() {
    answer(
        Refused("E0602"),
        READINGS,
        "data yes: CancelRunning = Allowed { evidence: \"mine\" }",
        "yes",
    );
}

#[test]
fn a_literal_of_a_standing() {
    answer(
        Refused("E0602"),
        READINGS,
        "",
        "cancel_running(standing: Preserves { hosts: [builder], evidence: \"mine\" })",
    );
}

#[test]
fn a_literal_of_the_readings() {
    answer(
        Refused("E0601"),
        READINGS,
        "",
        &format!("cancel_running(standing: fleet_standing(readings: {FORGED}))"),
    );
}

#[test]
fn a_literal_of_an_answer() {
    answer(
        Refused("E0601"),
        READINGS,
        "data mine: HostAnswer = Answered { host: builder, units: [], taken_at: 0 }",
        CANCEL,
    );
}

#[test]
fn a_literal_of_a_unit_reading() {
    answer(
        Refused("E0601"),
        READINGS,
        "data mine: List<UnitReading> = [UnitReading { host: builder, unit: \"actions-runner@.service\", sources: [], settings: [], taken_at: 0 }]",
        CANCEL,
    );
}

#[test]
fn an_alias() {
    answer(
        Refused("E0601"),
        READINGS,
        "type Mine = FleetReadings\nfn forged() -> FleetStanding { fleet_standing(readings: Mine { roster: [builder], answers: [], now: 0, max_age: seconds(count: 1), evidence: \"mine\" }) }",
        "cancel_running(standing: forged())",
    );
}

#[test]
fn an_alias_of_an_alias() {
    answer(
        Refused("E0601"),
        READINGS,
        "type First = FleetReadings\ntype Mine = First\nfn forged() -> FleetStanding { fleet_standing(readings: Mine { roster: [builder], answers: [], now: 0, max_age: seconds(count: 1), evidence: \"mine\" }) }",
        "cancel_running(standing: forged())",
    );
}

#[test]
fn an_alias_in_another_module() {
    attempt(Refused("E0601"), |p| {
        p.write(
            "mine.dag",
            "module mine\nimport host.reading { FleetReadings }\ntype Mine = FleetReadings\n",
        );
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }\n",
            &format!("{READINGS}\nimport mine {{ Mine }}\nimport fleet.ci {{ workflow }}\n"),
        );
        p.edit(
            "main.dag",
            CANCEL,
            &format!(
                "cancel_running(standing: fleet_standing(readings: {}))",
                FORGED.replace("FleetReadings", "Mine")
            ),
        );
    });
}

#[test]
fn a_refinement_of_an_observed_type() {
    attempt(Refused("E0601"), |p| {
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }\n",
            &format!("{READINGS}\nimport fleet.ci {{ workflow }}\n"),
        );
        p.edit(
            "main.dag",
            CANCEL,
            &format!(
                "cancel_running(standing: fleet_standing(readings: {}))",
                FORGED.replace("FleetReadings", "Mine")
            ),
        );
        p.write(
            "main.dag",
            format!("{}\ntype Mine = FleetReadings\n", p.read("main.dag")),
        );
    });
}

#[test]
fn a_generic_wrapper() {
    answer(
        Refused("E0601"),
        READINGS,
        &format!(
            "type Box<T> {{ value: T }}\nfn unbox<T>(b: Box<T>) -> T {{ b.value }}\ndata boxed: Box<FleetReadings> = Box {{ value: {FORGED} }}"
        ),
        "cancel_running(standing: fleet_standing(readings: unbox(b: boxed)))",
    );
}

#[test]
fn a_generic_function_that_makes_anything() {
    answer(
        Refused("E0308"),
        READINGS,
        "fn forge<T>(text: String) -> T { text as T }",
        "forge(text: \"mine\")",
    );
}

#[test]
fn a_record_of_ones_own_cast_to_a_standing() {
    answer(
        Refused("E0308"),
        READINGS,
        "type Mine { hosts: List<String>, evidence: String }",
        "cancel_running(standing: Mine { hosts: [], evidence: \"mine\" } as FleetStanding)",
    );
}

#[test]
fn a_text_cast_to_an_answer() {
    answer(
        Refused("E0308"),
        READINGS,
        "",
        "\"Allowed\" as CancelRunning",
    );
}

#[test]
fn an_optional_with_a_default() {
    answer(
        Refused("E0602"),
        READINGS,
        "data nothing: CancelRunning? = Absent",
        "nothing ?? Allowed { evidence: \"mine\" }",
    );
}

#[test]
fn a_helper_in_a_test_file() {
    attempt(Refused("E0208"), |p| {
        p.write("mine_test.dag", format!("module mine_test\n{READINGS}\nfn forged() -> FleetStanding {{ fleet_standing(readings: {FORGED}) }}\n"));
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }\n",
            "import mine_test { forged }\nimport fleet.ci { workflow }\n",
        );
        p.edit("main.dag", CANCEL, "cancel_running(standing: forged())");
    });
}

#[test]
fn a_helper_in_a_test_file_with_another_module_name() {
    attempt(Refused("E0208"), |p| {
        p.write("mine_test.dag", format!("module mine\n{READINGS}\nfn forged() -> FleetStanding {{ fleet_standing(readings: {FORGED}) }}\n"));
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }\n",
            "import mine { forged }\nimport fleet.ci { workflow }\n",
        );
        p.edit("main.dag", CANCEL, "cancel_running(standing: forged())");
    });
}

#[test]
fn a_test_module_used_by_its_full_name() {
    attempt(Refused("E0206"), |p| {
        p.write("mine_test.dag", format!("module mine_test\n{READINGS}\nfn forged() -> FleetStanding {{ fleet_standing(readings: {FORGED}) }}\n"));
        p.edit(
            "main.dag",
            CANCEL,
            "cancel_running(standing: mine_test.forged())",
        );
    });
}

#[test]
fn a_module_that_only_sounds_like_a_test() {
    // It is the file's name that counts.
    attempt(Refused("E0601"), |p| {
        p.write("mine.dag", format!("module mine_test\n{READINGS}\nfn forged() -> FleetStanding {{ fleet_standing(readings: {FORGED}) }}\n"));
    });
}

#[test]
fn a_test_item_in_the_model() {
    attempt(Refused("E0111"), |p| {
        p.write("mine.dag", format!("module mine\n{READINGS}\ntest data forged: FleetStanding = fleet_standing(readings: {FORGED})\n"));
    });
}

#[test]
fn the_whole_model_in_a_test_file() {
    let project = Project::starter();
    let model = project
        .read("main.dag")
        .replace("module fleet.main", "module fleet.mine")
        .replace(
            CANCEL,
            &format!("cancel_running(standing: fleet_standing(readings: {FORGED}))"),
        );
    let model = model.replace(
        "import fleet.ci { workflow }\n",
        &format!("{READINGS}\nimport fleet.ci {{ workflow }}\n"),
    );
    project.write("mine_test.dag", model);
    project.edit("hayward.toml", "fleet.main.fleet", "fleet.mine.fleet");
    project.untouched(|p| {
        p.run(&["check"]).done();
        p.run(&["render"]).failed(&[
            "the project's fleet is `fleet.mine.fleet`, and there is no such `data` item",
        ]);
    });
}

#[test]
fn an_update_of_a_record() {
    answer(
        Refused("E0101"),
        READINGS,
        "fn better(r: FleetReadings) -> FleetReadings { FleetReadings { ..r, answers: [] } }",
        CANCEL,
    );
}

#[test]
fn an_update_by_a_function() {
    answer(
        Refused("E0304"),
        READINGS,
        "fn better(r: FleetReadings) -> FleetReadings { with(r, answers: []) }",
        CANCEL,
    );
}

#[test]
fn a_rebuilt_reading() {
    answer(
        Refused("E0601"),
        READINGS,
        "fn better(r: FleetReadings) -> FleetReadings { FleetReadings { roster: [], answers: r.answers, now: r.now, max_age: r.max_age, evidence: r.evidence } }",
        CANCEL,
    );
}

#[test]
fn an_accumulator() {
    answer(
        Refused("E0602"),
        READINGS,
        "",
        "fold([1], init: cancel_running(standing: standing), f: (sum, n) => Allowed { evidence: \"mine\" })",
    );
}

#[test]
fn a_constructor_as_a_function() {
    answer(
        Refused("E0602"),
        READINGS,
        "fn use(f: fn(String) -> CancelRunning) -> CancelRunning { f(\"mine\") }",
        "use(f: e => Allowed { evidence: \"mine\" })",
    );
}

#[test]
fn a_match_that_turns_no_into_yes() {
    answer(
        Refused("E0602"),
        READINGS,
        "fn turned(c: CancelRunning) -> CancelRunning {\n  match c {\n    Allowed { evidence } => c\n    Forbidden { causes: _, evidence } => Allowed { evidence: evidence }\n  }\n}",
        &format!("turned(c: {CANCEL})"),
    );
}

#[test]
fn a_module_of_the_library_written_anew() {
    for module in [
        "host.policy",
        "host.standing",
        "host.reading",
        "host.fleet",
        "github.workflow",
        "std.yaml",
        "std.types",
        "std.prelude",
        "std.code_point",
    ] {
        attempt(Refused("E0201"), |p| {
            p.write("mine.dag", format!("module {module}\n"))
        });
    }
}

#[test]
fn the_policy_module_copied_and_turned() {
    let policy = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/host/policy.dag"),
    )
    .unwrap();
    attempt(Refused("E0201"), |p| {
        p.write("lib/host/policy.dag", policy.replace("Withheld { findings, evidence } => Forbidden {", "Withheld { findings, evidence } => Allowed { evidence: evidence }\n    Withheld { findings, evidence } => Forbidden {"))
    });
    // Byte for byte it is the library's.
    attempt(No, |p| p.write("lib/host/policy.dag", &policy));
}

#[test]
fn a_policy_of_ones_own_in_its_place() {
    answer(
        Refused("E0301"),
        "",
        "fn cancel(standing: FleetStanding) -> Bool { true }",
        "true",
    );
    attempt(Refused("E0205"), |p| {
        p.write(
            "main.dag",
            format!(
                "{}\nfn cancel_running(standing: Int) -> Int {{ 1 }}\n",
                p.read("main.dag")
            ),
        )
    });
}

#[test]
fn an_answer_type_of_ones_own() {
    attempt(Refused("E0301"), |p| {
        p.write("mine.dag", "module mine\nimport host.standing { FleetStanding }\ntype CancelRunning = | Allowed { evidence: NonEmptyStr }\nfn cancel_running(standing: FleetStanding) -> CancelRunning { Allowed { evidence: \"mine\" } }\n");
        p.edit(
            "main.dag",
            "import host.policy { cancel_running }",
            "import mine { cancel_running }",
        );
    });
}

#[test]
fn a_workflow_type_of_ones_own() {
    attempt(Refused("E0301"), |p| {
        p.write("mine.dag", "module mine\ntype Workflow { name: String, cancel: Bool }\ndata mine: Workflow = Workflow { name: \"check\", cancel: true }\n");
        p.edit(
            "main.dag",
            "import fleet.ci { workflow }",
            "import mine { mine }",
        );
        p.edit("main.dag", &format!("workflow(cancel: {CANCEL})"), "mine");
    });
}

#[test]
fn a_text_as_an_artifact() {
    answer(
        Refused("E0301"),
        "import host.fleet { RenderedFile }",
        "",
        "RenderedFile { path: \".github/workflows/check.yml\", text: \"on: push\" }",
    );
    attempt(Refused("E0206"), |p| {
        p.edit(
            "main.dag",
            "WorkflowFile { name: \"check\",",
            "TextFile { name: \"check\",",
        )
    });
}

#[test]
fn functions_of_the_prelude_written_anew() {
    // They are this module's, and nobody else's.
    for item in [
        "fn to_string(value: Bool) -> String { \"true\" }",
        "fn is_empty(items: List<Int>) -> Bool { true }",
        "fn concat(a: String, b: String) -> String { \"cancel-in-progress: true\" }",
        "fn join(xs: List<String>, separator: String) -> String { \"concurrency: true\" }",
        "fn filter(n: Int) -> Int { n }",
    ] {
        attempt(No, |p| {
            p.write("mine.dag", format!("module mine\n{item}\n"))
        });
    }
}

#[test]
fn an_empty_roster() {
    attempt(No, |p| {
        p.edit(
            "hosts.dag",
            "  Host { identity: builder, transport: RootDirectory { path: \"hosts/builder\" } }\n",
            "",
        );
    });
}

#[test]
fn nothing_to_observe() {
    attempt(No, |p| {
        p.edit("units.dag", "= [template_unit_name(name: runner)]", "= []")
    });
    let project = Project::starter();
    project.run(&["apply", "--yes"]).done();
    project.edit("units.dag", "= [template_unit_name(name: runner)]", "= []");
    // The runner is read all the same: what is a runner is not the model's to say.
    project.run(&["observe"]).done().says(&["job? yes"]);
    project.edit(
        project.host(RUNNER),
        "KillMode=control-group",
        "KillMode=process",
    );
    project
        .run(&["observe"])
        .done()
        .says(&["job? no", "KillMode=process"]);
    assert!(!project.rendered_policy());
    project.remove(project.host(RUNNER));
    project
        .run(&["observe"])
        .done()
        .says(&["job? no", "no runner unit was read"]);
    assert!(!project.rendered_policy());
}

#[test]
fn an_age_limit_without_end() {
    for limit in ["hours(count: 2000000000)", "hours(count: 168)"] {
        attempt(No, |p| p.edit("main.dag", "hours(count: 24)", limit));
    }
    let project = Project::starter();
    project.edit("main.dag", "hours(count: 24)", "hours(count: 0 - 1)");
    project.untouched(|p| p.run(&["render"]).refused(&["E0803", "main.dag:"]));
    // Not for a fleet that was read either.
    let project = Project::read_back();
    project.edit("main.dag", "hours(count: 24)", "hours(count: 2000000000)");
    assert!(!project.rendered_policy());
}

#[test]
fn a_containment_that_nothing_lifts_changes_nothing() {
    attempt(No, |p| {
        p.edit(
            "main.dag",
            "containments: [keep_running_jobs]",
            "containments: []",
        )
    });
    attempt(Refused("E0206"), |p| {
        p.edit(
            "main.dag",
            "lifts_when: FleetPreserves",
            "lifts_when: Always",
        )
    });
}

#[test]
fn readings_in_a_file_of_json() {
    let seen = Project::read_back().run(&["--json", "observe"]).done().out;
    attempt(No, |p| {
        for at in [
            "readings.json",
            "observe.json",
            ".hayward/readings.json",
            "hosts/builder/var/lib/hayward/readings",
        ] {
            p.write(at, &seen);
        }
    });
}

#[test]
fn an_evaluated_expression_is_no_way_in() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["eval", "host.policy.Allowed { evidence: \"mine\" }"]).refused(&["error[E0602]"]);
        p.run(&["eval", "host.reading.FleetReadings { roster: [], answers: [], now: 0, max_age: std.measure.seconds(count: 1), evidence: \"mine\" }"]).refused(&["error[E0601]"]);
        p.run(&["eval", "fleet.main_test.standing(answers: [])"]).refused(&[]);
        p.run(&["eval", "1 + 1"]).done().says(&["2"]);
    });
    // What it prints is text, and no command reads it.
    let printed = project.run(&["--json", "eval", "fleet.name"]).done().out;
    project.write("value.json", printed);
    project
        .run(&["apply", "value.json"])
        .refused(&["this is not a plan"]);
    assert!(!project.rendered_policy());
}

#[test]
fn a_roster_of_only_the_hosts_that_were_read() {
    // Dropping the bad host is a change of the model alone. It is remembered.
    let project = Project::commons_read_back();
    project.edit(
        "hosts/hazel/etc/systemd/system/actions-runner@.service",
        "KillMode=control-group",
        "KillMode=process",
    );
    project.run(&["observe"]).done();
    project.edit(
        "hosts.dag",
        "  Host { identity: hazel, transport: RootDirectory { path: \"hosts/hazel\" } }\n",
        "",
    );
    assert!(!project.rendered_policy());
}

#[test]
fn a_fleet_of_another_name_starts_unread() {
    let project = Project::read_back();
    assert!(project.rendered_policy());
    project.edit("main.dag", "name: \"starter\"", "name: \"other\"");
    assert!(!project.rendered_policy());
}

/// Text that would be YAML if it were not quoted, in the language's spelling.
const POISON: [(&str, &str); 6] = [
    (
        "x\\n  cancel-in-progress: true",
        "x\n  cancel-in-progress: true",
    ),
    (
        "x\\\"\\nconcurrency: \\{ cancel-in-progress: true }\\n# ",
        "x\"\nconcurrency: { cancel-in-progress: true }\n# ",
    ),
    (
        "x\\u{2028}cancel-in-progress: true\\u{85}y",
        "x\u{2028}cancel-in-progress: true\u{85}y",
    ),
    (
        "\\\\\\\"\\ncancel-in-progress: true",
        "\\\"\ncancel-in-progress: true",
    ),
    (
        "---\\ncancel-in-progress: true\\n...",
        "---\ncancel-in-progress: true\n...",
    ),
    (
        "\\x0d\\ncancel-in-progress: true #\\t",
        "\r\ncancel-in-progress: true #\t",
    ),
];

/// Puts poison into a text of the model: the workflow has its usual form and says no, and the
/// text is there as a text.
fn poisoned(
    file: &str,
    place: &str,
    around: &dyn Fn(&str) -> String,
    found: &dyn Fn(&str) -> String,
) {
    let project = Project::starter();
    let model = project.read(file);
    assert!(model.contains(place), "{place} is not in {model}");
    for (written, meant) in POISON {
        project.write(file, model.replacen(place, &around(written), 1));
        project.run(&["render"]).done().says(&["job? no"]);
        let text = project.read(WORKFLOW);
        let workflow = read(&text);
        assert!(!crate::yaml::cancel_in_progress(&text), "{text}");
        assert_eq!(
            workflow.keys(),
            ["name", "on", "permissions", "concurrency", "jobs"],
            "{text}"
        );
        assert_eq!(
            workflow.get("concurrency").keys(),
            ["group", "cancel-in-progress"],
            "{text}"
        );
        let job = workflow.get("jobs").get("check");
        assert_eq!(
            job.keys(),
            ["runs-on", "timeout-minutes", "steps"],
            "{text}"
        );
        let wanted = found(meant);
        assert!(
            workflow.texts().contains(&wanted.as_str()),
            "{wanted:?} is not in {text}"
        );
    }
}

fn whole(text: &str) -> String {
    text.to_owned()
}

#[test]
fn poison_in_the_workflows_name() {
    poisoned(
        "ci.dag",
        "name: \"Check\"",
        &|t| format!("name: \"{t}\""),
        &whole,
    );
}

#[test]
fn poison_in_a_steps_name() {
    poisoned(
        "ci.dag",
        "name: \"Check the model\"",
        &|t| format!("name: \"{t}\""),
        &whole,
    );
    poisoned(
        "ci.dag",
        "name: \"Check out\"",
        &|t| format!("name: \"{t}\""),
        &whole,
    );
}

#[test]
fn poison_in_a_script() {
    poisoned(
        "ci.dag",
        "script: command_line(words: [\"hayward\", \"check\"])",
        &|t| format!("script: \"{t}\""),
        &whole,
    );
}

#[test]
fn poison_in_the_words_of_a_script() {
    poisoned(
        "ci.dag",
        "words: [\"hayward\", \"check\"]",
        &|t| format!("words: [\"hayward\", \"{t}\"]"),
        &|t| format!("hayward '{t}'"),
    );
}

#[test]
fn poison_in_an_input_of_an_action() {
    let project = Project::starter();
    let inputs = |name: &str, value: &str| {
        format!("inputs: [github.workflow.ActionInput {{ name: \"{name}\", value: \"{value}\" }}]")
    };
    poisoned("ci.dag", "inputs: []", &|t| inputs("path", t), &whole);
    let model = project.read("ci.dag");
    for (written, meant) in POISON {
        project.write("ci.dag", model.replace("inputs: []", &inputs(written, "v")));
        project.run(&["render"]).done();
        let workflow = read(&project.read(WORKFLOW));
        let Node::List(steps) = workflow.get("jobs").get("check").get("steps") else {
            panic!("{workflow:?}");
        };
        assert_eq!(steps[0].get("with").keys(), [meant]);
        assert!(!project.may_cancel());
    }
}

#[test]
fn poison_in_the_concurrency_group() {
    poisoned(
        "ci.dag",
        "Context { path: \"github.run_id\" }",
        &|t| format!("github.expression.TextLiteral {{ text: \"{t}\" }}"),
        &|t| {
            format!(
                "check-${{{{ github.event.pull_request.number || '{}' }}}}",
                t.replace('\'', "''")
            )
        },
    );
}

#[test]
fn poison_where_only_a_name_may_stand() {
    for (file, place) in [
        ("ci.dag", "id: \"check\""),
        ("ci.dag", "runs_on: [\"self-hosted\"]"),
        ("ci.dag", "branches: [\"main\"]"),
        (
            "ci.dag",
            "action: \"actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683\"",
        ),
        ("ci.dag", "Plain { text: \"check-\" }"),
        ("ci.dag", "path: \"github.run_id\""),
        ("main.dag", "WorkflowFile { name: \"check\""),
    ] {
        let project = Project::starter();
        let model = project.read(file);
        assert!(model.contains(place), "{place}");
        let quote = place.rfind('"').unwrap();
        for text in [
            "\\ncancel-in-progress: true",
            ": \\{cancel-in-progress: true}",
            "\\u{2028}x",
            " #",
        ] {
            let poison = format!("{}{text}{}", &place[..quote], &place[quote..]);
            project.write(file, model.replacen(place, &poison, 1));
            project.untouched(|p| p.run(&["render"]).refused(&["error[E0309]", file]));
        }
    }
}

#[test]
fn poison_in_what_is_no_part_of_the_workflow() {
    for (file, place) in [
        ("main.dag", "name: \"keep-running-jobs\""),
        (
            "main.dag",
            "because: \"a killed job may take its permits with it\"",
        ),
        ("main.dag", "name: \"starter\""),
        (
            "units.dag",
            "because: \"fleet.units.runner_unit on {host}\"",
        ),
    ] {
        let project = Project::starter();
        let model = project.read(file);
        let start = place.find('"').unwrap() + 1;
        for (written, _) in POISON {
            let poison = format!("{}{written}\"", &place[..start]);
            assert!(model.contains(place));
            project.write(file, model.replacen(place, &poison, 1));
            let run: Run = project.run(&["render"]).done();
            assert!(!run.out.contains('\x1b'));
            assert!(!project.may_cancel());
            project.run(&["status"]).done().says(&["job? no"]);
        }
    }
}

#[test]
fn an_expression_in_a_script_is_refused() {
    let project = Project::starter();
    for script in ["echo $\\{\\{ github.head_ref }}", "$\\{\\{ true }}"] {
        let model = Project::starter().read("ci.dag");
        project.write(
            "ci.dag",
            model.replace(
                "command_line(words: [\"hayward\", \"check\"])",
                &format!("\"{script}\""),
            ),
        );
        project.untouched(|p| p.run(&["render"]).refused(&["error[E0309]", "ci.dag"]));
    }
}
