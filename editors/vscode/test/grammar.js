// Tokenises the samples as VS Code does, and compares with what is kept beside
// them. `UPDATE=1 npm test` writes it anew; read it before you keep it.
"use strict";

const fs = require("fs");
const path = require("path");
const { OnigScanner, OnigString, loadWASM } = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const root = path.join(__dirname, "..");
const samples = path.join(__dirname, "samples");

async function grammar() {
  const wasm = require.resolve("vscode-oniguruma/release/onig.wasm");
  await loadWASM(fs.readFileSync(wasm).buffer);
  const file = path.join(root, "syntaxes", "dag.tmLanguage.json");
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new OnigScanner(patterns),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar("source.dag");
}

/** One line a token: its text, and its scopes without the language's own. */
function shown(grammar, text) {
  const out = [];
  let state = INITIAL;
  for (const line of text.split("\n")) {
    out.push(`> ${line}`);
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const piece = line.slice(token.startIndex, token.endIndex);
      const scopes = token.scopes.filter((s) => s !== "source.dag");
      if (piece.trim() !== "" && scopes.length > 0) out.push(`  ${piece.trim()}\t${scopes.join(" ")}`);
    }
  }
  return `${out.join("\n")}\n`;
}

async function main() {
  const loaded = await grammar();
  const names = fs.readdirSync(samples).filter((name) => name.endsWith(".dag"));
  if (names.length === 0) throw new Error("there is no sample");
  let wrong = 0;
  for (const name of names) {
    const text = fs.readFileSync(path.join(samples, name), "utf8");
    const kept = path.join(samples, `${name}.tokens`);
    const now = shown(loaded, text);
    if (process.env.UPDATE) fs.writeFileSync(kept, now);
    if (fs.readFileSync(kept, "utf8") === now) continue;
    wrong += 1;
    const before = fs.readFileSync(kept, "utf8").split("\n");
    const line = now.split("\n").findIndex((l, i) => l !== before[i]);
    console.error(`${name}: line ${line + 1} of the tokens is\n${now.split("\n")[line]}\nand was\n${before[line]}`);
  }
  console.log(`${names.length} samples, ${wrong} differ`);
  process.exitCode = wrong === 0 ? 0 : 1;
}

main();
