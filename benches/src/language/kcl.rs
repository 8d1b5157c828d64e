//! KCL: schemas with checks, unions of schemas, one module a service.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// KCL.
pub(crate) struct Kcl;

impl Language for Kcl {
    fn extension(&self) -> &'static str {
        "k"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/kcl/render.k");
        vec![
            File::new("kcl.mod", "[package]\nname = \"bench\"\n"),
            File::new("types.k", include_str!("../../languages/kcl/types.k")),
            File::new("render.k", render.replace("TARGET", &model.target)),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = String::from("import types\n");
        for required in &service.requires {
            let _ = writeln!(text, "import {}", name(*required));
        }
        let _ = write!(text, "\nservice = {}\n", row(service, ""));
        text
    }

    fn entry(&self, model: &Model) -> String {
        let mut text = String::from("import types\nimport render\n");
        for service in &model.services {
            let _ = writeln!(text, "import {}", service.name());
        }
        text.push_str("\n_services: [types.Service] = [\n");
        for service in &model.services {
            let _ = writeln!(text, "    {}.service", service.name());
        }
        text.push_str("]\n_hosts: [str] = [\n");
        for host in 0..HOSTS {
            let _ = writeln!(text, "    \"{}\"", host_name(host));
        }
        text + "]\n" + include_str!("../../languages/kcl/output.k")
    }

    fn sum(&self, _name: &str, imports: &[String], plus: usize) -> String {
        let mut text = String::new();
        for import in imports {
            let _ = writeln!(text, "import {import}");
        }
        text.push_str("\nvalue: int = ");
        for import in imports {
            let _ = write!(text, "{import}.value + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let imports: Vec<String> = of.map(str::to_owned).into_iter().collect();
        self.sum("main", &imports, plus)
    }

    fn services(&self, services: &[Service]) -> String {
        let mut text = String::from("import types\n\nservices: [types.Service] = [\n");
        for service in services {
            let _ = writeln!(text, "    {}", row(service, "    "));
        }
        text + "]\n"
    }
}

fn row(service: &Service, indent: &str) -> String {
    let kind = match &service.kind {
        Kind::Web { port, tls } => {
            let tls = if *tls { "True" } else { "False" };
            format!("types.Web {{port = {port}, tls = {tls}}}")
        }
        Kind::Worker { queue, concurrency } => format!(
            "types.Worker {{queue = {}, concurrency = {concurrency}}}",
            quoted(queue)
        ),
        Kind::Cron { schedule } => format!("types.Cron {{schedule = {}}}", quoted(schedule)),
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("types.Always {{delay = {delay}}}"),
        Restart::OnFailure { delay, attempts } => {
            format!("types.OnFailure {{delay = {delay}, attempts = {attempts}}}")
        }
        Restart::Never => "types.Never {}".to_owned(),
    };
    let mut text = format!(
        "types.Service {{\n{indent}    name = \"{}\"\n{indent}    host = \"{}\"\n{indent}    kind = {kind}\n\
         {indent}    restart = {restart}\n{indent}    memory = {}\n{indent}    environment = [\n",
        service.name(),
        host_name(service.host),
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "{indent}        {{name = \"{variable}\", value = {value}}}"
        );
    }
    let requires: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.service.name", name(*r)))
        .collect();
    let _ = write!(
        text,
        "{indent}    ]\n{indent}    requires = [{}]\n{indent}}}",
        requires.join(", ")
    );
    text
}
