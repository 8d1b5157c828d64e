//! Jsonnet: objects, a tag for each case, texts joined rather than formatted.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// Jsonnet, whichever program runs it.
pub(crate) struct Jsonnet;

impl Language for Jsonnet {
    fn extension(&self) -> &'static str {
        "jsonnet"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/jsonnet/render.libsonnet");
        let output = include_str!("../../languages/jsonnet/output.libsonnet");
        vec![
            File::new("render.libsonnet", render.replace("TARGET", &model.target)),
            File::new("output.libsonnet", output),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = String::new();
        for required in &service.requires {
            let required = name(*required);
            let _ = writeln!(text, "local {required} = import '{required}.jsonnet';");
        }
        text + &row(service, "") + "\n"
    }

    fn entry(&self, model: &Model) -> String {
        let mut text = String::from("local output = import 'output.libsonnet';\n\noutput([\n");
        for service in &model.services {
            let _ = writeln!(text, "  import '{}.jsonnet',", service.name());
        }
        text.push_str("], [\n");
        for host in 0..HOSTS {
            let _ = writeln!(text, "  '{}',", host_name(host));
        }
        text + "])\n"
    }

    fn sum(&self, _name: &str, imports: &[String], plus: usize) -> String {
        let mut text = String::new();
        for import in imports {
            let _ = write!(text, "(import '{import}.jsonnet') + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let imports: Vec<String> = of.map(str::to_owned).into_iter().collect();
        format!(
            "{{ value: {} }}\n",
            self.sum("main", &imports, plus).trim_end()
        )
    }

    fn services(&self, services: &[Service]) -> String {
        let mut text = String::from("[\n");
        for service in services {
            let _ = writeln!(text, "  {},", row(service, "  "));
        }
        text + "]\n"
    }
}

fn row(service: &Service, indent: &str) -> String {
    let kind = match &service.kind {
        Kind::Web { port, tls } => format!("{{ tag: 'web', port: {port}, tls: {tls} }}"),
        Kind::Worker { queue, concurrency } => format!(
            "{{ tag: 'worker', queue: {}, concurrency: {concurrency} }}",
            quoted(queue)
        ),
        Kind::Cron { schedule } => format!("{{ tag: 'cron', schedule: {} }}", quoted(schedule)),
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("{{ tag: 'always', delay: {delay} }}"),
        Restart::OnFailure { delay, attempts } => {
            format!("{{ tag: 'onFailure', delay: {delay}, attempts: {attempts} }}")
        }
        Restart::Never => "{ tag: 'never' }".to_owned(),
    };
    let mut text = format!(
        "{{\n{indent}  name: '{}',\n{indent}  host: '{}',\n{indent}  kind: {kind},\n{indent}  restart: {restart},\n\
         {indent}  memory: {},\n{indent}  environment: [\n",
        service.name(),
        host_name(service.host),
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "{indent}    {{ name: '{variable}', value: {value} }},"
        );
    }
    let requires: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.name", name(*r)))
        .collect();
    let _ = write!(
        text,
        "{indent}  ],\n{indent}  requires: [{}],\n{indent}}}",
        requires.join(", ")
    );
    text
}
