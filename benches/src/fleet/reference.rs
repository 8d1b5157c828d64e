//! What the model comes to, computed in plain Rust: what every language must give.

use super::{HOSTS, Kind, Model, Restart, Service, host_name, name};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The outcome of a model.
pub(crate) fn output(model: &Model) -> Value {
    let services = &model.services;
    let units: Vec<Value> = services
        .iter()
        .map(|s| json!({ "name": format!("{}.service", s.name()), "text": unit(s, &model.target) }))
        .collect();
    let values: String = services.iter().map(values).collect();
    let hosts: Vec<Value> = (0..HOSTS)
        .map(|host| {
            let own = services.iter().filter(|s| s.host == host);
            json!({
                "host": host_name(host),
                "services": own.clone().count(),
                "memory": own.map(|s| s.memory).sum::<usize>(),
            })
        })
        .collect();
    let concurrency: usize = services
        .iter()
        .map(|s| match s.kind {
            Kind::Worker { concurrency, .. } => concurrency,
            Kind::Web { .. } | Kind::Cron { .. } => 0,
        })
        .sum();
    let ports: Vec<usize> = services
        .iter()
        .filter_map(|s| match s.kind {
            Kind::Web { port, .. } => Some(port),
            Kind::Worker { .. } | Kind::Cron { .. } => None,
        })
        .collect();
    json!({
        "units": units,
        "values": format!("services:\n{values}"),
        "hosts": hosts,
        "concurrency": concurrency,
        "ports": ports,
    })
}

fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Web { .. } => "web",
        Kind::Worker { .. } => "worker",
        Kind::Cron { .. } => "cron",
    }
}

fn unit(service: &Service, target: &str) -> String {
    let word = word(&service.kind);
    let mut out = format!(
        "[Unit]\nDescription={} ({word}) on {}\n",
        service.name(),
        host_name(service.host),
    );
    for key in ["Requires", "After"] {
        for required in &service.requires {
            let _ = writeln!(out, "{key}={}.service", name(*required));
        }
    }
    if let Restart::OnFailure { attempts, .. } = service.restart {
        let _ = writeln!(out, "StartLimitBurst={attempts}");
    }
    let arguments = match &service.kind {
        Kind::Web { port, tls: true } => format!("--port {port} --tls"),
        Kind::Web { port, tls: false } => format!("--port {port}"),
        Kind::Worker { queue, concurrency } => {
            format!("--queue {queue} --concurrency {concurrency}")
        }
        Kind::Cron { schedule } => format!("--schedule '{schedule}'"),
    };
    let restart = match service.restart {
        Restart::Always { delay } => format!("Restart=always\nRestartSec={delay}"),
        Restart::OnFailure { delay, .. } => format!("Restart=on-failure\nRestartSec={delay}"),
        Restart::Never => "Restart=no".to_owned(),
    };
    let _ = write!(
        out,
        "\n[Service]\nExecStart=/opt/fleet/{word} {arguments}\n{restart}\nMemoryMax={}M\n",
        service.memory,
    );
    for (variable, value) in &service.environment {
        let value = escaped(value).replace('%', "%%");
        let _ = writeln!(out, "Environment=\"{variable}={value}\"");
    }
    let _ = write!(out, "\n[Install]\nWantedBy={target}\n");
    out
}

fn values(service: &Service) -> String {
    let kind = match &service.kind {
        Kind::Web { port, tls } => format!("    port: {port}\n    tls: {tls}\n"),
        Kind::Worker { queue, concurrency } => {
            format!(
                "    queue: \"{}\"\n    concurrency: {concurrency}\n",
                escaped(queue)
            )
        }
        Kind::Cron { schedule } => format!("    schedule: \"{}\"\n", escaped(schedule)),
    };
    let mut out = format!(
        "  {}:\n    host: \"{}\"\n    kind: {}\n{kind}    memory: {}\n    environment:\n",
        service.name(),
        host_name(service.host),
        word(&service.kind),
        service.memory,
    );
    for (variable, value) in &service.environment {
        let _ = writeln!(out, "      {variable}: \"{}\"", escaped(value));
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
