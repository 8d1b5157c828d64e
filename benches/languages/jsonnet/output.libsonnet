// What the whole fleet comes to.
local render = import 'render.libsonnet';

local sum(items) = std.foldl(function(total, item) total + item, items, 0);

function(services, hosts) {
  units: [{ name: s.name + '.service', text: render.unitText(s) } for s in services],
  values: 'services:\n' + std.join('', [render.serviceValues(s) for s in services]),
  hosts: [
    {
      local own = [s for s in services if s.host == host],
      host: host,
      services: std.length(own),
      memory: sum([s.memory for s in own]),
    }
    for host in hosts
  ],
  concurrency: sum([s.kind.concurrency for s in services if s.kind.tag == 'worker']),
  ports: [s.kind.port for s in services if s.kind.tag == 'web'],
}
