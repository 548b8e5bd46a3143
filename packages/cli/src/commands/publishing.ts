import type { Command } from "commander";

import { History } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { withExamples } from "../help.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";
import { change } from "./change.ts";
import { draft, push } from "./push.ts";
import { rollback, withdraw } from "./rollback.ts";
import { termsOf, type TrialOptions, withTrialOptions } from "./trial.ts";

const NOTE = ["--note <text>", "why, for the history: at most 200 characters"] as const;

/** The commands that change the rules. */
export function registerPublishing(rules: Command): void {
  withExamples(
    withTrialOptions(rules.command("push"))
      .description(
        "Check and publish a document. Its `version` says what it is based on; the gateway refuses it if another version is live.",
      )
      .argument("<file>", "a document of live rules, or - for the standard input")
      .option("--dry-run", "check it and show what would change, and publish nothing")
      .option("--force", "publish over whatever version is live")
      .option("--update", "write the new version into the file, where its comments stay")
      .option(...NOTE)
      .action(push),
    "npx tidegate rules push rules.json --dry-run",
    'npx tidegate rules push rules.json --update --note "double the rides"',
  );
  withExamples(
    rules
      .command("draft")
      .description("Check and keep a document as the draft, to be published later.")
      .argument("<file>", "a document of live rules, or - for the standard input")
      .action(draft),
    "npx tidegate rules draft rules.json",
    "npx tidegate rules draft rules.json && npx tidegate rules diff",
  );
  withExamples(
    withTrialOptions(rules.command("publish"))
      .description("Publish the draft, if no other version went live since it was saved.")
      .option(...NOTE)
      .action(publish),
    "npx tidegate rules publish",
    "npx tidegate rules publish --percent 10 --max-denied 0.05",
  );
  withExamples(
    rules
      .command("rollback")
      .description(
        "Publish an old version again, as a new one. Without --to, take back a version that is tried on a part of the clients.",
      )
      .option(
        "--to <version>",
        "its number, 0 for what is deployed (default: the version that was live before)",
      )
      .option(
        "--discard-held",
        "needed where Redis has lost the rules that isolates still hold, with their blocks: they forget them then",
      )
      .option(...NOTE)
      .action(rollback),
    "npx tidegate rules rollback",
    'npx tidegate rules rollback --to 5 --note "too strict"',
  );
  withExamples(
    rules
      .command("withdraw")
      .description("Take the published rules back: the deployed ones are in force.")
      .action(withdraw),
    "npx tidegate rules withdraw",
    "npx tidegate rules withdraw && npx tidegate rules rollback --to 5",
  );
  withExamples(
    rules
      .command("history")
      .description("List the last 50 versions, the newest first.")
      .action(history),
    "npx tidegate rules history",
    "npx tidegate rules history --json",
  );
}

interface PublishOptions extends TrialOptions {
  readonly note?: string;
}

async function publish({ note, ...options }: PublishOptions, command: Command): Promise<void> {
  const terms = termsOf(options);
  const body = { ...(note !== undefined && { note }), ...terms };
  await change("/rules/publish", body, command, terms.percent);
}

/** Lists the published versions. */
async function history(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "GET", path: "/rules/history" }, History);
  if (wantsJson(command)) printJson(raw);
  else printVersions(value);
  await noteDegraded(ask);
}

function inWords({ current, tried, takenBack }: Partial<History["versions"][number]>): string {
  if (current) return "live";
  if (takenBack) return "taken back";
  return tried ? "tried" : "";
}

function printVersions(value: History): void {
  if (value.versions.length === 0) {
    note("Nothing has been published yet: the deployed rules are live.");
    return;
  }
  const rows = value.versions.map(({ version, publishedAt, by, note, ...state }) => [
    version,
    inWords(state),
    publishedAt,
    by,
    note ?? "",
  ]);
  print(table(["version", "", "published", "by", "note"], rows));
}
