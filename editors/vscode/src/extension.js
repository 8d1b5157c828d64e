// Starts `hayward lsp` for the files of the language, and stops it again.
"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

async function start() {
  const command = workspace.getConfiguration("hayward").get("path", "hayward");
  client = new LanguageClient(
    "hayward",
    "Hayward",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "dag" }] },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `\`${command} lsp\` cannot be started: ${error.message}. Set \`hayward.path\`.`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand("hayward.restart", restart),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("hayward.path")) await restart();
    }),
  );
  await start();
};

exports.deactivate = stop;
