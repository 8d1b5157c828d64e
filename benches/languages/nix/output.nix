# What the whole fleet comes to.
services: hosts:
let
  inherit (builtins) concatMap concatStringsSep foldl' groupBy length map;
  render = import ./render.nix;
  sum = of: foldl' (total: item: total + of item) 0;
  byHost = groupBy (s: s.host) services;
  load = host:
    let own = byHost.${host} or [ ];
    in {
      inherit host;
      services = length own;
      memory = sum (s: s.memory) own;
    };
in
{
  units = map (s: { name = "${s.name}.service"; text = render.unitText s; }) services;
  values = "services:\n" + concatStringsSep "" (map render.serviceValues services);
  hosts = map load hosts;
  concurrency = sum (s: s.kind.concurrency or 0) services;
  ports = concatMap (s: if s.kind.tag == "web" then [ s.kind.port ] else [ ]) services;
}
