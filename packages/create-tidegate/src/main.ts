import { fileURLToPath } from "node:url";

import { CommanderError } from "commander";

import { ask, Cancelled } from "./ask.ts";
import { create, type Created, NotCreated } from "./create.ts";
import { type Given, readArguments } from "./options.ts";
import { PLATFORMS } from "./platforms.ts";
import { type Settings, usualFolder } from "./settings.ts";

/** The meanings of the exit codes. */
const EXIT = { created: 0, failed: 1, usage: 2, cancelled: 130 } as const;

const templates = fileURLToPath(new URL("templates", import.meta.url));

try {
  const settings = await settingsFrom(readArguments(process.argv.slice(2)));
  if (settings === undefined) {
    process.exitCode = EXIT.usage;
  } else {
    console.log(farewell(settings, create(settings, templates, process.env)));
  }
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** The given settings, with answers or defaults for the rest; `undefined` if the origin is not known. */
async function settingsFrom(given: Given): Promise<Settings | undefined> {
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (hasTerminal && given.yes === undefined) {
    return ask(given, { input: process.stdin, output: process.stdout });
  }
  const { origin, platform = "cloudflare" } = given;
  if (origin === undefined) {
    console.error(
      "error: Say the address of your API: --origin https://api.example.com. Without a terminal, and with --yes, nothing is asked.",
    );
    return undefined;
  }
  const { folder = usualFolder(), store = PLATFORMS[platform].stores[0] } = given;
  return { folder, platform, origin, store };
}

/** The next commands, and the steps before them. */
function farewell({ folder, platform }: Settings, { missing, needsBridge }: Created): string {
  const { start, bridge, secrets, label } = PLATFORMS[platform];
  const into = folder === "." ? "" : `cd ${/\s/.test(folder) ? `"${folder}"` : folder} && `;
  const first =
    missing.length > 0 ? `Fill in ${missing.join(" and ")} in ${secrets}. Then:\n\n` : "";
  const last = needsBridge
    ? `
It counts in the Redis at redis://127.0.0.1:6379, through a bridge. Start the bridge first, in another terminal:

  ${bridge}
`
    : "";
  return `
Created a gateway for ${label}${folder === "." ? "" : ` in ${folder}`}. Its secrets are in ${secrets}.

${first}  ${into}npm install
  ${start}
${last}`;
}

function exitCodeOf(error: unknown): number {
  // The parser has said it itself, or has shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.created : EXIT.usage;
  if (error instanceof Cancelled) return EXIT.cancelled;
  console.error(error instanceof NotCreated ? `error: ${error.message}` : error);
  return EXIT.failed;
}
