-- The texts that a service comes to: a unit, and its part of the values.
let types = ./types.dhall

let ServiceKind = types.ServiceKind

let Restart = types.Restart

let Variable = types.Variable

let Service = types.Service

let Web = { port : Natural, tls : Bool }

let Worker = { queue : Text, concurrency : Natural }

let Cron = { schedule : Text }

let Always = { delay : Natural }

let OnFailure = { delay : Natural, attempts : Natural }

let show = Natural/show

-- The unit that wants every service.
let wantedBy = "TARGET"

let escaped =
      \(text : Text) ->
        Text/replace "\"" "\\\"" (Text/replace "\\" "\\\\" text)

let unitQuoted = \(text : Text) -> Text/replace "%" "%%" (escaped text)

let yamlQuoted = \(text : Text) -> "\"${escaped text}\""

let hostName =
      \(host : Natural) ->
        let zero = if Natural/isZero (Natural/subtract 9 host) then "0" else ""

        in  "host-${zero}${show host}"

let kindWord =
      \(kind : ServiceKind) ->
        merge
          { Web = \(_ : Web) -> "web"
          , Worker = \(_ : Worker) -> "worker"
          , Cron = \(_ : Cron) -> "cron"
          }
          kind

let kindArguments =
      \(kind : ServiceKind) ->
        merge
          { Web =
              \(k : Web) ->
                "--port ${show k.port}${if k.tls then " --tls" else ""}"
          , Worker =
              \(k : Worker) ->
                "--queue ${k.queue} --concurrency ${show k.concurrency}"
          , Cron = \(k : Cron) -> "--schedule '${k.schedule}'"
          }
          kind

let kindValues =
      \(kind : ServiceKind) ->
        merge
          { Web =
              \(k : Web) ->
                let tls = if k.tls then "true" else "false"

                in  "    port: ${show k.port}\n    tls: ${tls}\n"
          , Worker =
              \(k : Worker) ->
                "    queue: ${yamlQuoted
                                k.queue}\n    concurrency: ${show
                                                               k.concurrency}\n"
          , Cron = \(k : Cron) -> "    schedule: ${yamlQuoted k.schedule}\n"
          }
          kind

let restartLines =
      \(restart : Restart) ->
        merge
          { Always =
              \(r : Always) -> "Restart=always\nRestartSec=${show r.delay}\n"
          , OnFailure =
              \(r : OnFailure) ->
                "Restart=on-failure\nRestartSec=${show r.delay}\n"
          , Never = "Restart=no\n"
          }
          restart

let limitLines =
      \(restart : Restart) ->
        merge
          { Always = \(_ : Always) -> ""
          , OnFailure =
              \(r : OnFailure) -> "StartLimitBurst=${show r.attempts}\n"
          , Never = ""
          }
          restart

let lines =
      \(a : Type) ->
      \(line : a -> Text) ->
      \(items : List a) ->
        List/fold a items Text (\(item : a) -> \(rest : Text) -> line item ++ rest) ""

let unitText =
      \(s : Service) ->
            "[Unit]\nDescription=${s.name} (${kindWord
                                                s.kind}) on ${hostName s.host}\n"
        ++  lines Text (\(r : Text) -> "Requires=${r}.service\n") s.requires
        ++  lines Text (\(r : Text) -> "After=${r}.service\n") s.requires
        ++  limitLines s.restart
        ++  "\n[Service]\nExecStart=/opt/fleet/${kindWord
                                                   s.kind} ${kindArguments
                                                               s.kind}\n"
        ++  restartLines s.restart
        ++  "MemoryMax=${show s.memory}M\n"
        ++  lines
              Variable
              ( \(v : Variable) ->
                  "Environment=\"${v.name}=${unitQuoted v.value}\"\n"
              )
              s.environment
        ++  "\n[Install]\nWantedBy=${wantedBy}\n"

let serviceValues =
      \(s : Service) ->
            "  ${s.name}:\n    host: ${yamlQuoted
                                         ( hostName s.host
                                         )}\n    kind: ${kindWord s.kind}\n"
        ++  kindValues s.kind
        ++  "    memory: ${show s.memory}\n    environment:\n"
        ++  lines
              Variable
              (\(v : Variable) -> "      ${v.name}: ${yamlQuoted v.value}\n")
              s.environment

in  { unitText, serviceValues, hostName, lines }
