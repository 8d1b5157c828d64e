// The texts that a service comes to: a unit, and its part of the values.
local wantedBy() = 'TARGET';

local escaped(text) = std.strReplace(std.strReplace(text, '\\', '\\\\'), '"', '\\"');
local unitQuoted(text) = std.strReplace(escaped(text), '%', '%%');
local yamlQuoted(text) = '"' + escaped(text) + '"';

local kindArguments = {
  web(k):: '--port ' + k.port + (if k.tls then ' --tls' else ''),
  worker(k):: '--queue ' + k.queue + ' --concurrency ' + k.concurrency,
  cron(k):: "--schedule '" + k.schedule + "'",
};

local kindValues = {
  web(k):: ['    port: ' + k.port, '    tls: ' + k.tls],
  worker(k):: ['    queue: ' + yamlQuoted(k.queue), '    concurrency: ' + k.concurrency],
  cron(k):: ['    schedule: ' + yamlQuoted(k.schedule)],
};

local restartLines = {
  always(r):: ['Restart=always', 'RestartSec=' + r.delay],
  onFailure(r):: ['Restart=on-failure', 'RestartSec=' + r.delay],
  never(r):: ['Restart=no'],
};

local limitLines = {
  always(r):: [],
  onFailure(r):: ['StartLimitBurst=' + r.attempts],
  never(r):: [],
};

{
  unitText(s)::
    std.join('\n', [
      '[Unit]',
      'Description=' + s.name + ' (' + s.kind.tag + ') on ' + s.host,
    ] + [
      'Requires=' + r + '.service'
      for r in s.requires
    ] + [
      'After=' + r + '.service'
      for r in s.requires
    ] + limitLines[s.restart.tag](s.restart) + [
      '',
      '[Service]',
      'ExecStart=/opt/fleet/' + s.kind.tag + ' ' + kindArguments[s.kind.tag](s.kind),
    ] + restartLines[s.restart.tag](s.restart) + [
      'MemoryMax=' + s.memory + 'M',
    ] + [
      'Environment="' + v.name + '=' + unitQuoted(v.value) + '"'
      for v in s.environment
    ] + [
      '',
      '[Install]',
      'WantedBy=' + wantedBy(),
      '',
    ]),

  serviceValues(s)::
    std.join('\n', [
      '  ' + s.name + ':',
      '    host: ' + yamlQuoted(s.host),
      '    kind: ' + s.kind.tag,
    ] + kindValues[s.kind.tag](s.kind) + [
      '    memory: ' + s.memory,
      '    environment:',
    ] + [
      '      ' + v.name + ': ' + yamlQuoted(v.value)
      for v in s.environment
    ] + ['']),
}
