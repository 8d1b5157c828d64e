//! Forms of items, written out: `$` stands for a number that makes names new, `§` for an
//! expression of type Int without names, `~` for one of type String.

use super::{Maker, Ty};

/// Each is sound by itself.
const FORMS: &[&str] = &[
    // Refinements, and functions as predicates.
    "type Port$ = Int where range(min: 1, max: 65_535)\n\ndata port$: Port$ = 80\n\nfn enter$(n: Int) -> Int = (n as Port$) + 1\n\ndata entered$: Int = enter$(§)\n",
    "fn even$(n: Int) -> Bool = n % 2 == 0\n\ntype Even$ = Int where range(min: 0), even$\n\ndata even_data$: List<Even$> = filter_map([§, §], n => if n >= 0 && even$(n) { Present { value: n as Even$ } } else { none })\n",
    "type Slug$ = String where pattern(\"[a-z]+(-[a-z]+)*\"), brand(\"slug$\")\n\nfn slug$(s: String) -> Slug$ = s as Slug$\n\ndata slug_data$: Slug$ = slug$(~)\n",
    "type Named$ { name: NonEmptyStr, port: Int where range(min: 1), tags: List<String> = [] }\n\ndata named$: Named$ = { name: \"n\", port: 3 }\n",
    // Types with a door.
    "type Token$ nominal_opaque = String where non_empty\n\nfn token$(s: String) -> Token$ = s as Token$\n\ndata token_data$: Bool = token$(\"a\") == token$(~)\n",
    "type Coin$ sole_constructor { value: Int }\n\nfn coin$(value: Int) -> Coin$ admit_callers: [decl_ref(module_path: \"gen.base\", decl_name: \"change$\")] =\n  Coin$ { value }\n\nfn change$(value: Int) -> List<Coin$> = [coin$(value), coin$(§)]\n",
    // Evidence: it is given, and cannot be written.
    "type Reading$ observed { host: String, up: Bool }\n\nfn up$(readings: List<Reading$>) -> Bool = all(readings, r => r.up)\n\ndata nothing_read$: Bool = up$([])\n",
    // Generic types and functions, and recursion that descends.
    "type Tree$<T> = | Leaf$ | Fork$ { left: Tree$<T>, value: T, right: Tree$<T> }\n\nfn size$<T>(tree: Tree$<T>) -> Int = match tree {\n  Leaf$ => 0\n  Fork$ { left, value: _, right } => size$(left) + 1 + size$(right)\n}\n\ndata tree$: Int = size$(Fork$ { left: Leaf$, value: §, right: Fork$ { left: Leaf$, value: 2, right: Leaf$ } })\n",
    "fn power$(n: Nat) -> Int = if n == 0 { 1 } else { 2 * power$(n - 1) }\n\ndata powers$: List<Int> = [power$(3), power$(62), power$(63)]\n",
    "type Rose$ { value: Int, kids: List<Rose$> }\n\nfn total$(r: Rose$) -> Int = r.value + sum(map(r.kids, k => total$(k)))\n\ndata rose$: Int = total$(Rose$ { value: §, kids: [Rose$ { value: 1, kids: [] }] })\n",
    "fn compose$<A, B, C>(f: fn(A) -> B, g: fn(B) -> C) -> fn(A) -> C = x => g(f(x))\n\ndata composed$: String = compose$(n => n + 1, n => \"{n}\")(§)\n",
    // Records without a name, defaults, maps, sets, loops, names of variants.
    "fn area$(box: { width: Int, height: Int }, by: Int = 3) -> Int = box.width * box.height * by\n\ndata area_data$: List<Int> = [area$({ height: 2, width: § }), area$({ height: 1, width: 2 }, by: 1)]\n",
    "data table$: Map<String, Int> = { \"a\": 1, \"b\": § }\n\ndata set$: Set<Int> = [3, 4]\n\ndata rows$: List<String> = for key in map_keys(table$) { \"{key}={map_get(table$, key) ?? 0}\" }\n",
    "type Mode$ = On$ | Off$(Int)\n\ndata modes$: List<String> = [^(Off$(§)), ^(On$), discriminant(On$)]\n",
    "data sums$: List<List<Int>> = for x in 0..4 {\n  let ys = 0..x\n  for y in ys { x * § + y }\n}\n",
    "fn parts$(s: String) -> Int = match s {\n  \"a\" => 1\n  \"\" => 0\n  other if count(other) > 2 => count(other)\n  _ => 0 - 1\n}\n\ndata parted$: Int = parts$(~)\n",
    "data unit$: Unit = ()\n\ndata float$: Float = 1.5 + 0.25\n\ndata shown$: String = \"{float$}\" + (float$ as String)\n",
    "alias T$ = std.types\n\ndata pair$: T$.Pair<Int, T$.String> = T$.Pair { first: §, second: ~ }\n",
    // Services, resources and workflows.
    "service gen.Doors$ {\n  operation Ask {\n    readonly\n    input { door: String, options: List<String> }\n    output { state: String from \"stdout\", lines: List<String> from \"stdout_lines\" }\n    transport shell { argv: [\"/usr/bin/door\", \"ask\", options, \"--\", \"{door}\"], stdin: \"\" }\n    mock_response {\n      0 => if door == ~ { Present { value: Output { state: \"open\", lines: [door] } } } else { none }\n      0 => Output { state: \"closed\", lines: [] } \"every other\"\n    }\n  }\n}\n\npattern state$(door: String) -> String { gen.Doors$.Ask(door, options: []).state }\n\nfunc all$(alarm: Bool) -> String {\n  node front: state$(~)\n  node back = state$(\"b\") -> String\n  bell [after front, back when alarm] = state$(\"bell\")\n  let sound = bell ?? \"silent\"\n  \"{front} {back} {sound}\"\n}\n\ninterface main$() -> String { all$(§  > 1) }\n",
    "type Box$<T: Type> { value: T }\n\ndata boxed$: Box$<Int> = Box$ { §  }\n\nfn wide$(box: { width: Int, height: Int }) -> Int = match box {\n  { width: 0, height } => height\n  { width, height: _ } => width\n}\n",
    "type Page$\n  = Found$ { title: String? from \"/title\" }\n  | Gone$\n\nservice gen.Web$ {\n  config { endpoint: \"https://example.org\" }\n  operation Get readonly idempotent (path: String) -> Page$\n    response { 2xx => Found$, 404 => Gone$ }\n    mock_response { 404 => Gone$ }\n  transport rest { method: \"GET\", path: path }\n}\n\nfunc page$() -> Page$ { gen.Web$.Get(~) }\n",
    "service gen.Api$ {\n  operation Put {\n    idempotent\n    input { shop: String, text: String, page: String?, tags: List<String>, token: Secret }\n    output { status: Int from \"http_status\", tag: String? from \"http_header:ETag\", said: String from \"http_body\" }\n    transport rest {\n      base_url: \"https://example.org/api\", method: \"PUT\", path: \"/shops/{shop}/x\"\n      query: { page: page, \"a b\": tags }\n      headers: { \"Content-Type\": \"text/plain\", \"X-Key\": \"key {token}\" }\n      auth_basic: { user: shop, password: token }\n      body: text, response_format: \"text\", tls: true\n    }\n    mock_response { 200 => Output { status: 200, tag: none, said: text } }\n  }\n}\n\nfunc put$() -> String { gen.Api$.Put(~, ~, page: none, tags: [], token: Secret { name: \"key\" }).said }\n",
    "service gen.Files$ {\n  operation Read(path: String) -> { content: String }\n  mock_response { 0 => Output { content: ~ } }\n  transport file { path: path }\n}\n\nfunc read$() -> String { gen.Files$.Read(path: \"/etc/x\").content }\n",
    "type Found$\n  = Lines$ { lines: List<String> from \"stdout_lines\" }\n  | Nothing$\n\nservice gen.Text$ {\n  operation Find {\n    input { word: String }\n    transport shell { argv: [\"/usr/bin/grep\", \"--\", word] }\n    exit { 0 => Lines$, 1 => Nothing$ }\n    mock_response { 1 => Nothing$ }\n  }\n}\n\nfunc find$() -> Int {\n  match gen.Text$.Find(~) {\n    Lines$ { lines } => count(lines)\n    Nothing$ => §\n  }\n}\n",
    "resource Store$ {\n  shelves: 3\n  capability read(name: String) -> String\n  capability amount { input { name: String } output { n: Int } }\n}\n\ntype Count$ { n: Int }\n\nfn unread$(name: String) -> String = ~\n\nfn zero$(name: String) -> Count$ = Count$ { n: § }\n\nfunc stock$() -> Int uses store: Store$(read: unread$, amount: zero$) {\n  store.read(name: ~)\n  store.amount(name: \"a\").n + store.shelves\n}\n",
];

impl Maker<'_> {
    /// Some of the forms.
    pub(super) fn forms(&mut self) {
        for _ in 0..self.dice.below(4) {
            let form = self.dice.word(FORMS);
            let number = self.name("");
            let scope = std::mem::take(&mut self.scope);
            self.out.push('\n');
            for character in form.chars() {
                match character {
                    '$' => self.out.push_str(&number),
                    '§' => {
                        let filled = self.expression(&Ty::Int, 1);
                        self.out.push_str(&filled);
                    }
                    '~' => {
                        let filled = self.expression(&Ty::Str, 1);
                        self.out.push_str(&filled);
                    }
                    other => self.out.push(other),
                }
            }
            self.scope = scope;
        }
    }
}
