-- What a service of the fleet is. A host is its number, because texts cannot be compared.
let ServiceKind =
      < Web : { port : Natural, tls : Bool }
      | Worker : { queue : Text, concurrency : Natural }
      | Cron : { schedule : Text }
      >

let Restart =
      < Always : { delay : Natural }
      | OnFailure : { delay : Natural, attempts : Natural }
      | Never
      >

let Variable = { name : Text, value : Text }

let Service =
      { name : Text
      , host : Natural
      , kind : ServiceKind
      , restart : Restart
      , memory : Natural
      , environment : List Variable
      , requires : List Text
      }

in  { ServiceKind, Restart, Variable, Service }
