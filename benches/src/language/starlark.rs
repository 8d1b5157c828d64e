//! Starlark with the records and the type annotations of its Rust dialect.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// Starlark. A module's names are its own: `load` lists what it takes.
pub(crate) struct Starlark;

impl Language for Starlark {
    fn extension(&self) -> &'static str {
        "star"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/starlark/render.star");
        let output = include_str!("../../languages/starlark/output.star");
        vec![
            File::new(
                "types.star",
                include_str!("../../languages/starlark/types.star"),
            ),
            File::new("render.star", render.replace("TARGET", &model.target)),
            File::new("output.star", output),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let own = service.name();
        let mut text = format!(
            "load(\"types.star\", \"Service\", \"Variable\", \"{}\", \"{}\")\n",
            kind(&service.kind).0,
            restart(service.restart).0,
        );
        for required in &service.requires {
            let required = name(*required);
            let _ = writeln!(text, "load(\"{required}.star\", \"{required}\")");
        }
        let _ = write!(text, "\n{own} = {}\n", row(service, ""));
        text
    }

    fn entry(&self, model: &Model) -> String {
        let mut text = String::from("load(\"output.star\", \"outcome\")\n");
        for service in &model.services {
            let name = service.name();
            let _ = writeln!(text, "load(\"{name}.star\", \"{name}\")");
        }
        text.push_str("\noutput = outcome([\n");
        for service in &model.services {
            let _ = writeln!(text, "    {},", service.name());
        }
        text.push_str("], [\n");
        for host in 0..HOSTS {
            let _ = writeln!(text, "    \"{}\",", host_name(host));
        }
        text + "])\n"
    }

    fn sum(&self, name: &str, imports: &[String], plus: usize) -> String {
        let mut text = String::new();
        for import in imports {
            let _ = writeln!(text, "load(\"{import}.star\", \"{import}\")");
        }
        let _ = write!(text, "\n{name} = ");
        for import in imports {
            let _ = write!(text, "{import} + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let imports: Vec<String> = of.map(str::to_owned).into_iter().collect();
        self.sum("total", &imports, plus) + "output = {\"value\": total}\n"
    }

    fn services(&self, services: &[Service]) -> String {
        let mut text = String::from("services = [\n");
        for service in services {
            let _ = writeln!(text, "    {},", row(service, "    "));
        }
        text + "]\n"
    }
}

/// A kind's record, and its value.
fn kind(kind: &Kind) -> (&'static str, String) {
    match kind {
        Kind::Web { port, tls } => {
            let tls = if *tls { "True" } else { "False" };
            ("Web", format!("Web(port = {port}, tls = {tls})"))
        }
        Kind::Worker { queue, concurrency } => (
            "Worker",
            format!(
                "Worker(queue = {}, concurrency = {concurrency})",
                quoted(queue)
            ),
        ),
        Kind::Cron { schedule } => ("Cron", format!("Cron(schedule = {})", quoted(schedule))),
    }
}

/// A restart rule's record, and its value.
fn restart(restart: Restart) -> (&'static str, String) {
    match restart {
        Restart::Always { delay } => ("Always", format!("Always(delay = {delay})")),
        Restart::OnFailure { delay, attempts } => (
            "OnFailure",
            format!("OnFailure(delay = {delay}, attempts = {attempts})"),
        ),
        Restart::Never => ("Never", "Never()".to_owned()),
    }
}

fn row(service: &Service, indent: &str) -> String {
    let mut text = format!(
        "Service(\n{indent}    name = \"{}\",\n{indent}    host = \"{}\",\n{indent}    kind = {},\n{indent}    restart = {},\n\
         {indent}    memory = {},\n{indent}    environment = [\n",
        service.name(),
        host_name(service.host),
        kind(&service.kind).1,
        restart(service.restart).1,
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "{indent}        Variable(name = \"{variable}\", value = {value}),"
        );
    }
    let requires: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.name", name(*r)))
        .collect();
    let _ = write!(
        text,
        "{indent}    ],\n{indent}    requires = [{}],\n{indent})",
        requires.join(", ")
    );
    text
}
