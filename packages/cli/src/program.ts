import { readFileSync } from "node:fs";

import { Command } from "commander";

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
import { withExamples } from "./help.ts";
import { report } from "./report.ts";

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
