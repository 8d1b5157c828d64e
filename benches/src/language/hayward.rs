//! `.dag`: refined scalars, coproducts, one renderer whose matches are total, and one module a
//! service that imports the services it requires. The outcome is `bench.main.output`.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// The language of this project.
pub(crate) struct Hayward;

impl Language for Hayward {
    fn extension(&self) -> &'static str {
        "dag"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/hayward/render.dag");
        vec![
            File::new(
                "types.dag",
                include_str!("../../languages/hayward/types.dag"),
            ),
            File::new("render.dag", render.replace("TARGET", &model.target)),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = format!(
            "module bench.{}\n\nimport bench.types {{ {}, Service, Variable, {} }}\n",
            service.name(),
            restart(service.restart).0,
            kind(&service.kind).0,
        );
        for required in &service.requires {
            let required = name(*required);
            let _ = writeln!(text, "import bench.{required} {{ {required} }}");
        }
        text + "\n" + &row(service)
    }

    fn entry(&self, model: &Model) -> String {
        let mut text = String::from(
            "module bench.main\n// The whole fleet: every service's texts, and what they come to together.\n\n\
             import bench.types { Cron, HostName, Service, Web, Worker }\n\
             import bench.render { unit_text, values_text }\n",
        );
        for service in &model.services {
            let name = service.name();
            let _ = writeln!(text, "import bench.{name} {{ {name} }}");
        }
        text.push_str("\ndata services: List<Service> = [\n");
        for service in &model.services {
            let _ = writeln!(text, "  {}", service.name());
        }
        text.push_str("]\n\ndata hosts: List<HostName> = [\n");
        for host in 0..HOSTS {
            let _ = writeln!(text, "  \"{}\"", host_name(host));
        }
        text + "]\n\n" + include_str!("../../languages/hayward/output.dag")
    }

    fn sum(&self, name: &str, imports: &[String], plus: usize) -> String {
        let mut text = format!("module bench.{name}\n\n");
        for import in imports {
            let _ = writeln!(text, "import bench.{import} {{ {import} }}");
        }
        if !imports.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "data {name}: Int = ");
        for import in imports {
            let _ = write!(text, "{import} + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let import = of.map_or_else(String::new, |m| format!("import bench.{m} {{ {m} }}\n\n"));
        let value = of.map_or_else(String::new, |m| format!("{m} + "));
        format!(
            "module bench.main\n\n{import}type Output {{ value: Int }}\n\ndata output: Output = Output {{ value: {value}{plus} }}\n"
        )
    }

    fn services(&self, services: &[Service]) -> String {
        let mut text = String::from("module bench.long\n");
        for service in services {
            let _ = write!(text, "\n{}", row(service));
        }
        text
    }
}

/// A kind's variant, and its value.
fn kind(kind: &Kind) -> (&'static str, String) {
    match kind {
        Kind::Web { port, tls } => ("Web", format!("Web {{ port: {port}, tls: {tls} }}")),
        Kind::Worker { queue, concurrency } => (
            "Worker",
            format!(
                "Worker {{ queue: {}, concurrency: {concurrency} }}",
                quoted(queue)
            ),
        ),
        Kind::Cron { schedule } => ("Cron", format!("Cron {{ schedule: {} }}", quoted(schedule))),
    }
}

/// A restart rule's variant, and its value.
fn restart(restart: Restart) -> (&'static str, String) {
    match restart {
        Restart::Always { delay } => ("Always", format!("Always {{ delay: {delay} }}")),
        Restart::OnFailure { delay, attempts } => (
            "OnFailure",
            format!("OnFailure {{ delay: {delay}, attempts: {attempts} }}"),
        ),
        Restart::Never => ("Never", "Never".to_owned()),
    }
}

fn row(service: &Service) -> String {
    let own = service.name();
    let mut text = format!(
        "data {own}: Service = Service {{\n  name: \"{own}\"\n  host: \"{}\"\n  kind: {}\n  restart: {}\n  \
         memory: {}\n  environment: [\n",
        host_name(service.host),
        kind(&service.kind).1,
        restart(service.restart).1,
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "    Variable {{ name: \"{variable}\", value: {value} }}"
        );
    }
    let required: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.name", name(*r)))
        .collect();
    let _ = write!(text, "  ]\n  requires: [{}]\n}}\n", required.join(", "));
    text
}
