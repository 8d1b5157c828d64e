//! The model in `.dag`: refined scalars, coproducts, one renderer whose matches are total, and one
//! module a service that imports the services it requires.

use super::service::{HOSTS, host_name, name};
use super::{Kind, Model, Restart, Service};
use crate::files::File;
use crate::text::quoted;
use std::fmt::Write as _;

/// Every module of the model; `bench.main.output` is its outcome.
pub(crate) fn files(model: &Model) -> Vec<File> {
    let mut files = vec![
        File::new("types.dag", TYPES),
        File::new("render.dag", render(model)),
        File::new("main.dag", main(model)),
    ];
    files.extend(model.services.iter().map(service));
    files
}

const TYPES: &str = r#"module bench.types
// What a service of the fleet is.

type ServiceName = String where pattern("s[0-9]+")

type HostName = String where pattern("host-[0-9]+")

// environ(7), in the portable form.
type VariableName = String where pattern("[A-Z][A-Z0-9_]*")

type Port = Int where range(min: 1, max: 65535)

type Positive = Int where range(min: 1)

type Seconds = Int where range(min: 0)

type Mebibytes = Int where range(min: 1)

// What a service does.
type Kind
  = Web { port: Port, tls: Bool }
  | Worker { queue: NonEmptyStr, concurrency: Positive }
  | Cron { schedule: NonEmptyStr }

// systemd.service(5), Restart=.
type Restart
  = Always { delay: Seconds }
  | OnFailure { delay: Seconds, attempts: Positive }
  | Never

type Variable { name: VariableName, value: String }

type Service {
  name: ServiceName
  host: HostName
  kind: Kind
  restart: Restart
  memory: Mebibytes
  environment: List<Variable>
  requires: List<ServiceName>
}
"#;

/// The renderers. Only `wanted_by` depends on the model: the body that an edit of the library
/// changes.
fn render(model: &Model) -> String {
    RENDER.replace("TARGET", model.target)
}

const RENDER: &str = r#"module bench.render
// The texts that a service comes to: a unit, and its part of the values.

import bench.types {
  Always, Cron, Kind, Never, OnFailure, Restart, Service, Variable, Web, Worker
}

// The unit that wants every service.
fn wanted_by() -> String {
  "TARGET"
}

// systemd.syntax(7), "Quoting", and systemd.unit(5), "Specifiers".
fn unit_quoted(text: String) -> String {
  text
    |> replace("\\", "\\\\")
    |> replace("\"", "\\\"")
    |> replace("%", "%%")
}

// YAML 1.2, "Double-Quoted Style".
fn yaml_quoted(text: String) -> String {
  let escaped = text |> replace("\\", "\\\\") |> replace("\"", "\\\"")
  "\"{escaped}\""
}

fn kind_word(kind: Kind) -> String {
  match kind {
    Web { port: _, tls: _ } => "web"
    Worker { queue: _, concurrency: _ } => "worker"
    Cron { schedule: _ } => "cron"
  }
}

fn kind_arguments(kind: Kind) -> String {
  match kind {
    Web { port, tls: true } => "--port {port} --tls"
    Web { port, tls: false } => "--port {port}"
    Worker { queue, concurrency } => "--queue {queue} --concurrency {concurrency}"
    Cron { schedule } => "--schedule '{schedule}'"
  }
}

fn restart_lines(restart: Restart) -> List<String> {
  match restart {
    Always { delay } => ["Restart=always", "RestartSec={delay}"]
    OnFailure { delay, attempts: _ } => ["Restart=on-failure", "RestartSec={delay}"]
    Never => ["Restart=no"]
  }
}

fn limit_lines(restart: Restart) -> List<String> {
  match restart {
    Always { delay: _ } => []
    OnFailure { delay: _, attempts } => ["StartLimitBurst={attempts}"]
    Never => []
  }
}

fn environment_line(variable: Variable) -> String {
  "Environment=\"{variable.name}={unit_quoted(text: variable.value)}\""
}

fn lines(parts: List<List<String>>) -> String {
  let text = join(flat_map(parts, p => p), "\n")
  "{text}\n"
}

fn unit_text(service: Service) -> String {
  lines(parts: [
    [
      "[Unit]"
      "Description={service.name} ({kind_word(kind: service.kind)}) on {service.host}"
    ]
    map(service.requires, r => "Requires={r}.service")
    map(service.requires, r => "After={r}.service")
    limit_lines(restart: service.restart)
    [
      ""
      "[Service]"
      "ExecStart=/opt/fleet/{kind_word(kind: service.kind)} {kind_arguments(kind: service.kind)}"
    ]
    restart_lines(restart: service.restart)
    ["MemoryMax={service.memory}M"]
    map(service.environment, v => environment_line(variable: v))
    ["", "[Install]", "WantedBy={wanted_by()}"]
  ])
}

fn kind_values(kind: Kind) -> List<String> {
  match kind {
    Web { port, tls } => ["    port: {port}", "    tls: {tls}"]
    Worker { queue, concurrency } => [
      "    queue: {yaml_quoted(text: queue)}"
      "    concurrency: {concurrency}"
    ]
    Cron { schedule } => ["    schedule: {yaml_quoted(text: schedule)}"]
  }
}

fn service_values(service: Service) -> String {
  lines(parts: [
    [
      "  {service.name}:"
      "    host: {yaml_quoted(text: service.host)}"
      "    kind: {kind_word(kind: service.kind)}"
    ]
    kind_values(kind: service.kind)
    ["    memory: {service.memory}", "    environment:"]
    map(service.environment, v => "      {v.name}: {yaml_quoted(text: v.value)}")
  ])
}

fn values_text(services: List<Service>) -> String {
  let parts = join(map(services, s => service_values(service: s)), "")
  "services:\n{parts}"
}
"#;

/// The services alone, as they stand in one file: each with a blank line before it.
pub(crate) fn services_of_one_file(model: &Model) -> impl Iterator<Item = String> {
    model.services.iter().map(|s| format!("\n{}", row(s)))
}

fn service(service: &Service) -> File {
    let own = service.name();
    let mut text = format!(
        "module bench.{own}\n\nimport bench.types {{ {}, Service, Variable, {} }}\n",
        restart(service.restart).0,
        kind(&service.kind).0,
    );
    for required in &service.requires {
        let required = name(*required);
        let _ = writeln!(text, "import bench.{required} {{ {required} }}");
    }
    let _ = write!(text, "\n{}", row(service));
    File::new(format!("{own}.dag"), text)
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

fn main(model: &Model) -> String {
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
    text.push_str("]\n");
    text.push_str(OUTPUT);
    text
}

const OUTPUT: &str = r#"
type Unit { name: String, text: String }

type HostLoad { host: HostName, services: Int, memory: Int }

type Output {
  units: List<Unit>
  values: String
  hosts: List<HostLoad>
  concurrency: Int
  ports: List<Int>
}

fn load(host: HostName) -> HostLoad {
  let own = filter(services, s => s.host == host)
  HostLoad { host: host, services: length(own), memory: fold(own, 0, (sum, s) => sum + s.memory) }
}

fn concurrency(service: Service) -> Int {
  match service.kind {
    Web { port: _, tls: _ } => 0
    Worker { queue: _, concurrency } => concurrency
    Cron { schedule: _ } => 0
  }
}

fn ports(service: Service) -> List<Int> {
  match service.kind {
    Web { port, tls: _ } => [port]
    Worker { queue: _, concurrency: _ } => []
    Cron { schedule: _ } => []
  }
}

data output: Output = Output {
  units: map(services, s => Unit { name: "{s.name}.service", text: unit_text(service: s) })
  values: values_text(services: services)
  hosts: map(hosts, h => load(host: h))
  concurrency: fold(services, 0, (sum, s) => sum + concurrency(service: s))
  ports: flat_map(services, s => ports(service: s))
}
"#;
