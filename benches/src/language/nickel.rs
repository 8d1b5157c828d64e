//! Nickel: enum variants, renderers with static types, a contract at the edge of each module.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// Nickel.
pub(crate) struct Nickel;

impl Language for Nickel {
    fn extension(&self) -> &'static str {
        "ncl"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/nickel/render.ncl");
        let output = include_str!("../../languages/nickel/output.ncl");
        vec![
            File::new(
                "types.ncl",
                include_str!("../../languages/nickel/types.ncl"),
            ),
            File::new("render.ncl", render.replace("TARGET", &model.target)),
            File::new("output.ncl", output),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = String::from("let types = import \"types.ncl\" in\n");
        for required in &service.requires {
            let required = name(*required);
            let _ = writeln!(text, "let {required} = import \"{required}.ncl\" in");
        }
        text + &row(service, "") + " | types.Service\n"
    }

    fn entry(&self, model: &Model) -> String {
        let mut text = String::from("(import \"output.ncl\")\n  [\n");
        for service in &model.services {
            let _ = writeln!(text, "    import \"{}.ncl\",", service.name());
        }
        text.push_str("  ]\n  [\n");
        for host in 0..HOSTS {
            let _ = writeln!(text, "    \"{}\",", host_name(host));
        }
        text + "  ]\n"
    }

    fn sum(&self, _name: &str, imports: &[String], plus: usize) -> String {
        let mut text = String::new();
        for import in imports {
            let _ = write!(text, "(import \"{import}.ncl\") + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let imports: Vec<String> = of.map(str::to_owned).into_iter().collect();
        format!(
            "{{ value = {} }}\n",
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
        Kind::Web { port, tls } => format!("'Web {{ port = {port}, tls = {tls} }}"),
        Kind::Worker { queue, concurrency } => format!(
            "'Worker {{ queue = {}, concurrency = {concurrency} }}",
            quoted(queue)
        ),
        Kind::Cron { schedule } => format!("'Cron {{ schedule = {} }}", quoted(schedule)),
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("'Always {{ delay = {delay} }}"),
        Restart::OnFailure { delay, attempts } => {
            format!("'OnFailure {{ delay = {delay}, attempts = {attempts} }}")
        }
        Restart::Never => "'Never".to_owned(),
    };
    let mut text = format!(
        "{{\n{indent}  name = \"{}\",\n{indent}  host = \"{}\",\n{indent}  kind = {kind},\n{indent}  restart = {restart},\n\
         {indent}  memory = {},\n{indent}  environment = [\n",
        service.name(),
        host_name(service.host),
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "{indent}    {{ name = \"{variable}\", value = {value} }},"
        );
    }
    let requires: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.name", name(*r)))
        .collect();
    let _ = write!(
        text,
        "{indent}  ],\n{indent}  requires = [{}],\n{indent}}}",
        requires.join(", ")
    );
    text
}
