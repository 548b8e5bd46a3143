import { readFileSync } from "node:fs";

import { Command, CommanderError } from "commander";

import { nothingHere } from "../../../src/admin/refusal.ts";
import { registerAlerts } from "./commands/alerts.ts";
import { registerAudit } from "./commands/audit.ts";
import { registerCheck } from "./commands/check.ts";
import { registerClients } from "./commands/clients.ts";
import { registerDashboard } from "./commands/dashboard.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerLists } from "./commands/lists.ts";
import { registerOverrides } from "./commands/overrides.ts";
import { registerPublishing } from "./commands/publishing.ts";
import { registerRules } from "./commands/rules.ts";
import { registerTop } from "./commands/top.ts";
import { registerTrial } from "./commands/trial.ts";
import { CliError, EXIT, type Exit, type Problem, RefusedError } from "./errors.ts";
import { withExamples } from "./help.ts";
import { escape } from "./output/escape.ts";
import { faultText } from "./output/faults.ts";
import { note } from "./output/print.ts";
import { styled } from "./output/style.ts";

/** The same place from the source and from the build. */
const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string };

function createProgram(): Command {
  const program = new Command("tidegate")
    .description("Checks and changes the rules of a Tidegate gateway while it runs.")
    .version(version)
    .option("--url <url>", "the gateway's address (default: TIDEGATE_URL)")
    .option("--token-file <file>", "a file with the token (default: TIDEGATE_TOKEN)")
    .option("--timeout <duration>", "how long to wait for an answer: 1ms to 10m", "30s")
    .option("--json", "print JSON for programs, as the gateway answers it")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  withExamples(
    program,
    "npx tidegate rules check wrangler.toml",
    "npx tidegate explain POST /api/rides -H 'x-user-id: 42'",
  );
  const rules = program
    .command("rules")
    .description("Check, read, change, publish and roll back the rules.");
  withExamples(
    rules,
    "npx tidegate rules pull -o rules.json",
    "npx tidegate rules push rules.json",
  );
  registerCheck(rules);
  registerRules(rules);
  registerPublishing(rules);
  registerTrial(rules);
  // Each other group of commands is a file of commands/, registered here in the order of the help.
  const groups = [
    registerTop,
    registerClients,
    registerLists,
    registerOverrides,
    registerAudit,
    registerDashboard,
    registerAlerts,
    registerDoctor,
  ];
  for (const register of groups) {
    register(program);
  }
  return program;
}

/** Runs a command in this process, and leaves its exit code in `process.exitCode`. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Prints the fault, and returns its exit code. */
export function report(error: unknown): Exit {
  // The parser of arguments has said it itself, or has shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof CliError)) throw error;
  const lines = error instanceof RefusedError ? problemLines(error.problem) : [error.message];
  const [first = "", ...others] = lines.map(escape);
  note(`${styled("red", "error:", process.stderr)} ${first}`, ...others);
  return error.exit;
}

function problemLines({ title, status, detail, errors = [] }: Problem): readonly string[] {
  // Any other path that is missing has a detail of its own.
  const isOff = status === 404 && detail === nothingHere().message;
  const advice = isOff
    ? "A gateway without ADMIN_TOKEN answers 404 to everything here."
    : ADVICE[status];
  return [
    `${title} (${status})`,
    ...(detail === undefined ? [] : [detail]),
    ...errors.map((fault) => `  ${faultText(fault)}`),
    ...(advice === undefined ? [] : [advice]),
  ];
}

/** Advice that the gateway cannot give, because it does not know that this program asks. */
const ADVICE: Readonly<Record<number, string>> = {
  401: "The token comes from TIDEGATE_TOKEN or --token-file: it has to be the gateway's ADMIN_TOKEN or READ_TOKEN.",
  412: "`tidegate rules diff --from N --to live` shows what changed since version N, which your document is based on.",
};
