//! Dhall: unions and `merge`, annotated modules.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// Dhall.
pub(crate) struct Dhall;

impl Language for Dhall {
    fn extension(&self) -> &'static str {
        "dhall"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/dhall/render.dhall");
        let output = include_str!("../../languages/dhall/output.dhall");
        vec![
            File::new(
                "types.dhall",
                include_str!("../../languages/dhall/types.dhall"),
            ),
            File::new("render.dhall", render.replace("TARGET", &model.target)),
            File::new("output.dhall", output),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = String::from("let types = ./types.dhall\n\n");
        for required in &service.requires {
            let required = name(*required);
            let _ = writeln!(text, "let {required} = ./{required}.dhall\n");
        }
        let _ = writeln!(
            text,
            "in    {}\n    : types.Service",
            row(service, "      ")
        );
        text
    }

    fn entry(&self, model: &Model) -> String {
        let services: Vec<String> = model
            .services
            .iter()
            .map(|s| format!("./{}.dhall", s.name()))
            .collect();
        let hosts: Vec<String> = (0..HOSTS).map(|host| host.to_string()).collect();
        format!(
            "./output.dhall\n  [ {}\n  ]\n  [ {} ]\n",
            services.join("\n  , "),
            hosts.join(", "),
        )
    }

    fn sum(&self, _name: &str, imports: &[String], plus: usize) -> String {
        let mut text = String::new();
        for import in imports {
            let _ = write!(text, "./{import}.dhall + ");
        }
        format!("{text}{plus}\n")
    }

    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String {
        let imports: Vec<String> = of.map(str::to_owned).into_iter().collect();
        let sum = self.sum("main", &imports, plus);
        format!("{{ value = {} }}\n", sum.trim_end())
    }

    fn services(&self, services: &[Service]) -> String {
        let rows: Vec<String> = services.iter().map(|s| row(s, "    ")).collect();
        format!("[ {}\n]\n", rows.join("\n, "))
    }
}

fn row(service: &Service, indent: &str) -> String {
    let kind = match &service.kind {
        Kind::Web { port, tls } => {
            let tls = if *tls { "True" } else { "False" };
            format!("types.ServiceKind.Web {{ port = {port}, tls = {tls} }}")
        }
        Kind::Worker { queue, concurrency } => format!(
            "types.ServiceKind.Worker {{ queue = {}, concurrency = {concurrency} }}",
            quoted(queue)
        ),
        Kind::Cron { schedule } => {
            format!(
                "types.ServiceKind.Cron {{ schedule = {} }}",
                quoted(schedule)
            )
        }
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("types.Restart.Always {{ delay = {delay} }}"),
        Restart::OnFailure { delay, attempts } => {
            format!("types.Restart.OnFailure {{ delay = {delay}, attempts = {attempts} }}")
        }
        Restart::Never => "types.Restart.Never".to_owned(),
    };
    let variables: Vec<String> = service
        .environment
        .iter()
        .map(|(variable, value)| format!("{{ name = \"{variable}\", value = {} }}", quoted(value)))
        .collect();
    let requires: Vec<String> = service
        .requires
        .iter()
        .map(|r| format!("{}.name", name(*r)))
        .collect();
    let requires = if requires.is_empty() {
        "[] : List Text".to_owned()
    } else {
        format!("[ {} ]", requires.join(", "))
    };
    format!(
        "{{ name = \"{}\"\n{indent}, host = {}\n{indent}, kind = {kind}\n{indent}, restart = {restart}\n{indent}, \
         memory = {}\n{indent}, environment =\n{indent}  [ {}\n{indent}  ]\n{indent}, requires = {requires}\n{indent}}}",
        service.name(),
        service.host,
        service.memory,
        variables.join(&format!("\n{indent}  , ")),
    )
}
