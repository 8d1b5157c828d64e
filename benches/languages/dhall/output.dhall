-- What the whole fleet comes to.
let types = ./types.dhall

let render = ./render.dhall

let Service = types.Service

let map =
      \(a : Type) ->
      \(b : Type) ->
      \(f : a -> b) ->
      \(items : List a) ->
        List/build
          b
          ( \(list : Type) ->
            \(cons : b -> list -> list) ->
              List/fold a items list (\(item : a) -> cons (f item))
          )

let sum =
      \(a : Type) ->
      \(of : a -> Natural) ->
      \(items : List a) ->
        List/fold
          a
          items
          Natural
          (\(item : a) -> \(total : Natural) -> of item + total)
          0

let equal =
      \(a : Natural) ->
      \(b : Natural) ->
            Natural/isZero (Natural/subtract a b)
        &&  Natural/isZero (Natural/subtract b a)

let concurrency =
      \(s : Service) ->
        merge
          { Web = \(_ : { port : Natural, tls : Bool }) -> 0
          , Worker = \(k : { queue : Text, concurrency : Natural }) -> k.concurrency
          , Cron = \(_ : { schedule : Text }) -> 0
          }
          s.kind

let ports =
      \(services : List Service) ->
        List/build
          Natural
          ( \(list : Type) ->
            \(cons : Natural -> list -> list) ->
              List/fold
                Service
                services
                list
                ( \(s : Service) ->
                  \(rest : list) ->
                    merge
                      { Web =
                          \(k : { port : Natural, tls : Bool }) ->
                            cons k.port rest
                      , Worker =
                          \(_ : { queue : Text, concurrency : Natural }) -> rest
                      , Cron = \(_ : { schedule : Text }) -> rest
                      }
                      s.kind
                )
          )

in  \(services : List Service) ->
    \(hosts : List Natural) ->
      { units =
          map
            Service
            { name : Text, text : Text }
            ( \(s : Service) ->
                { name = "${s.name}.service", text = render.unitText s }
            )
            services
      , values =
          "services:\n" ++ render.lines Service render.serviceValues services
      , hosts =
          map
            Natural
            { host : Text, services : Natural, memory : Natural }
            ( \(host : Natural) ->
                let own = \(s : Service) -> equal s.host host

                in  { host = render.hostName host
                    , services =
                        sum Service (\(s : Service) -> if own s then 1 else 0) services
                    , memory =
                        sum
                          Service
                          (\(s : Service) -> if own s then s.memory else 0)
                          services
                    }
            )
            hosts
      , concurrency = sum Service concurrency services
      , ports = ports services
      }
