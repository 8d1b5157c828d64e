//! Pkl: classes with constrained types, one module a service.

use super::Language;
use crate::files::File;
use crate::fleet::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use crate::text::quoted;
use std::fmt::Write as _;

/// Pkl.
pub(crate) struct Pkl;

impl Language for Pkl {
    fn extension(&self) -> &'static str {
        "pkl"
    }

    fn library(&self, model: &Model) -> Vec<File> {
        let render = include_str!("../../languages/pkl/render.pkl");
        vec![
            File::new("types.pkl", include_str!("../../languages/pkl/types.pkl")),
            File::new("render.pkl", render.replace("TARGET", &model.target)),
        ]
    }

    fn service(&self, service: &Service) -> String {
        let mut text = format!("module bench.{}\n\nimport \"types.pkl\"\n", service.name());
        for required in &service.requires {
            let _ = writeln!(text, "import \"{}.pkl\"", name(*required));
        }
        let _ = write!(text, "\nservice: types.Service = {}\n", row(service, ""));
        text
    }

    fn entry(&self, model: &Model) -> String {
        let mut text =
            String::from("module bench.main\n\nimport \"types.pkl\"\nimport \"render.pkl\"\n");
        for service in &model.services {
            let _ = writeln!(text, "import \"{}.pkl\"", service.name());
        }
        text.push_str("\nlocal services: List<types.Service> = List(\n");
        let services: Vec<String> = model
            .services
            .iter()
            .map(|s| format!("  {}.service", s.name()))
            .collect();
        let hosts: Vec<String> = (0..HOSTS)
            .map(|h| format!("  \"{}\"", host_name(h)))
            .collect();
        let _ = write!(
            text,
            "{}\n)\n\nlocal hostNames: List<types.HostName> = List(\n{}\n)\n",
            services.join(",\n"),
            hosts.join(",\n"),
        );
        text + include_str!("../../languages/pkl/output.pkl")
    }

    fn sum(&self, name: &str, imports: &[String], plus: usize) -> String {
        let mut text = format!("module bench.{name}\n\n");
        for import in imports {
            let _ = writeln!(text, "import \"{import}.pkl\"");
        }
        text.push_str("\nvalue: Int = ");
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
        let mut text =
            String::from("import \"types.pkl\"\n\nservices: Listing<types.Service> = new {\n");
        for service in services {
            let _ = writeln!(text, "  {}", row(service, "  "));
        }
        text + "}\n"
    }
}

fn row(service: &Service, indent: &str) -> String {
    let kind = match &service.kind {
        Kind::Web { port, tls } => format!("new types.Web {{ port = {port}; tls = {tls} }}"),
        Kind::Worker { queue, concurrency } => format!(
            "new types.Worker {{ queue = {}; concurrency = {concurrency} }}",
            quoted(queue)
        ),
        Kind::Cron { schedule } => format!("new types.Cron {{ schedule = {} }}", quoted(schedule)),
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("new types.Always {{ delay = {delay} }}"),
        Restart::OnFailure { delay, attempts } => {
            format!("new types.OnFailure {{ delay = {delay}; attempts = {attempts} }}")
        }
        Restart::Never => "new types.Never {}".to_owned(),
    };
    let mut text = format!(
        "new {{\n{indent}  name = \"{}\"\n{indent}  host = \"{}\"\n{indent}  kind = {kind}\n{indent}  restart = {restart}\n\
         {indent}  memory = {}\n{indent}  environment {{\n",
        service.name(),
        host_name(service.host),
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "{indent}    new {{ name = \"{variable}\"; value = {value} }}"
        );
    }
    let _ = write!(text, "{indent}  }}\n{indent}  requires {{");
    for required in &service.requires {
        let _ = write!(text, "\n{indent}    {}.service.name", name(*required));
    }
    let close = if service.requires.is_empty() {
        String::new()
    } else {
        format!("\n{indent}  ")
    };
    let _ = write!(text, "{close}}}\n{indent}}}");
    text
}
