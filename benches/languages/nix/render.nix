# The texts that a service comes to: a unit, and its part of the values.
let
  inherit (builtins) concatMap concatStringsSep map replaceStrings toString;

  # The unit that wants every service.
  wantedBy = _: "TARGET";

  unitQuoted = replaceStrings [ "\\" "\"" "%" ] [ "\\\\" "\\\"" "%%" ];
  yamlQuoted = text: "\"${replaceStrings [ "\\" "\"" ] [ "\\\\" "\\\"" ] text}\"";
  yesNo = value: if value then "true" else "false";

  kindArguments = {
    web = k: "--port ${toString k.port}${if k.tls then " --tls" else ""}";
    worker = k: "--queue ${k.queue} --concurrency ${toString k.concurrency}";
    cron = k: "--schedule '${k.schedule}'";
  };

  kindValues = {
    web = k: "    port: ${toString k.port}\n    tls: ${yesNo k.tls}\n";
    worker = k: "    queue: ${yamlQuoted k.queue}\n    concurrency: ${toString k.concurrency}\n";
    cron = k: "    schedule: ${yamlQuoted k.schedule}\n";
  };

  restartLines = {
    always = r: "Restart=always\nRestartSec=${toString r.delay}\n";
    onFailure = r: "Restart=on-failure\nRestartSec=${toString r.delay}\n";
    never = _: "Restart=no\n";
  };

  limitLines = {
    always = _: "";
    onFailure = r: "StartLimitBurst=${toString r.attempts}\n";
    never = _: "";
  };

  lines = line: items: concatStringsSep "" (map line items);
in
{
  unitText = s: ''
    [Unit]
    Description=${s.name} (${s.kind.tag}) on ${s.host}
    ${lines (r: "Requires=${r}.service\n") s.requires}${lines (r: "After=${r}.service\n") s.requires}${limitLines.${s.restart.tag} s.restart}
    [Service]
    ExecStart=/opt/fleet/${s.kind.tag} ${kindArguments.${s.kind.tag} s.kind}
    ${restartLines.${s.restart.tag} s.restart}MemoryMax=${toString s.memory}M
    ${lines (v: "Environment=\"${v.name}=${unitQuoted v.value}\"\n") s.environment}
    [Install]
    WantedBy=${wantedBy null}
  '';

  serviceValues = s: ''
    ${"  "}${s.name}:
        host: ${yamlQuoted s.host}
        kind: ${s.kind.tag}
    ${kindValues.${s.kind.tag} s.kind}    memory: ${toString s.memory}
        environment:
    ${lines (v: "      ${v.name}: ${yamlQuoted v.value}\n") s.environment}'';
}
