import type { Command } from "commander";
import { applyEdits, modify } from "jsonc-parser";

import { Health, History, Live, Nothing, Published, Saved } from "../answers.ts";
import { type Ask, connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import type { DocumentFile } from "../document-file.ts";
import { UsageError } from "../errors.ts";
import { writeFile } from "../files.ts";
import { withExamples } from "../help.ts";
import { changeLines } from "../output/changes.ts";
import { count, note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";
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
        "its number, 0 for what is deployed (default: the version before the live one)",
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

interface PushOptions extends TrialOptions {
  readonly dryRun?: true;
  readonly force?: true;
  readonly update?: true;
  readonly note?: string;
}

async function push(file: string, options: PushOptions, command: Command): Promise<void> {
  if (options.update && file === "-") throw new UsageError("--update needs a file to write to.");
  const { percent, maxDenied } = termsOf(options);
  const { readDocument, sending } = await documentFiles();
  const document = readDocument(file);
  const ask = connect(command);
  const ifMatch = options.force ? await liveVersion(ask) : baseOf(document);
  const query = [
    ...(options.dryRun ? ["dry-run"] : []),
    ...(options.note === undefined ? [] : [`note=${encodeURIComponent(options.note)}`]),
    ...(percent === undefined ? [] : [`percent=${percent}`]),
    ...(maxDenied === undefined ? [] : [`max-denied=${maxDenied}`]),
  ].join("&");
  const path = query === "" ? "/rules" : `/rules?${query}`;
  const body = document.parsed.value;
  const { raw, value } = await sending(document, () =>
    ask({ method: "PUT", path, body, ifMatch }, Published),
  );
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  if (options.dryRun) {
    note(`${count(value.changes.length, "change")}; nothing is published.`);
    warnOfLeftOut(value);
    return;
  }
  notePublished(value, percent);
  if (options.update) writeVersion(document, value.version);
  else note(`The next push is based on it: set "version": ${value.version}, or use --update.`);
}

/** They bring the gateway, and other commands start in half the time without it. */
const documentFiles = () => import("../document-file.ts");

function baseOf({ file, version }: DocumentFile): number {
  if (version !== undefined) return version;
  throw new UsageError(
    `${file} has no version that it is based on: begin with \`tidegate rules pull\`, or use --force.`,
  );
}

async function liveVersion(ask: Ask): Promise<number> {
  const { value } = await ask({ method: "GET", path: "/rules" }, Live);
  // A version that is tried over it is replaced, too.
  return value.trial?.version ?? value.version;
}

function writeVersion({ file, parsed }: DocumentFile, version: number): void {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(parsed.text, ["version"], version, { formattingOptions });
  writeFile(file, applyEdits(parsed.text, edits));
}

async function draft(file: string, _options: unknown, command: Command): Promise<void> {
  const { readDocument, sending } = await documentFiles();
  const document = readDocument(file);
  const ask = connect(command);
  const body = document.parsed.value;
  const { raw, value } = await sending(document, () =>
    ask({ method: "PUT", path: "/rules/draft", body }, Saved),
  );
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  note(`Saved as the draft, based on version ${value.basedOn}.`);
  if (document.version !== undefined && document.version !== value.basedOn) {
    note(
      `Warning: the file is based on version ${document.version}, so that publishing the draft undoes what changed since.`,
    );
  }
}

interface PublishOptions extends TrialOptions {
  readonly note?: string;
}

async function publish({ note, ...options }: PublishOptions, command: Command): Promise<void> {
  const terms = termsOf(options);
  const body = { ...(note !== undefined && { note }), ...terms };
  await change("/rules/publish", body, command, terms.percent);
}

interface RollbackOptions {
  readonly to?: string;
  readonly discardHeld?: true;
  readonly note?: string;
}

async function rollback(
  { to, discardHeld, ...options }: RollbackOptions,
  command: Command,
): Promise<void> {
  if (to !== undefined && !/^(?:0|[1-9]\d{0,14})$/.test(to)) {
    throw new UsageError(`--to takes the number of a version, not "${to}".`);
  }
  if (!discardHeld) await requireKept(connect(command), to);
  await change("/rules/rollback", { ...(to && { to: Number(to) }), ...options }, command);
}

/**
 * A publication after Redis has lost the rules takes the place of those that isolates still hold, and of every block and
 * override by a single call.
 *
 * @throws UsageError where that may be so: an isolate that began since then holds none, and cannot say whether others do
 */
async function requireKept(ask: Ask, to: string | undefined): Promise<void> {
  const published = (await ask({ method: "GET", path: "/rules" }, Live)).value.version;
  const held = (await ask({ method: "GET", path: "/health" }, Health)).value.live.version;
  const isLost = held > published;
  if (!isLost && !(published === 0 && to === "0")) return;
  const why = isLost
    ? `Redis has lost version ${held}, which isolates still hold with its blocks and overrides`
    : "Redis has no published rules, so that there is nothing to take back, unless it has lost what isolates still hold";
  throw new UsageError(
    `${why}: \`tidegate rules pull --held -o rules.json\` and \`tidegate rules push rules.json\` keep it. To throw it away, add --discard-held.`,
  );
}

async function change(
  path: string,
  body: object,
  command: Command,
  percent?: number,
): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "POST", path, body }, Published);
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  notePublished(value, percent);
}

/** A rollback to a version with the same rules would else look as if it had changed something. */
function notePublished(published: Published, percent: number | undefined): void {
  const { version, changes, takenBack } = published;
  const to = percent === undefined ? "" : ` to ${percent} percent of the clients`;
  note(
    takenBack === undefined
      ? `Published version ${version}${to}${changes.length === 0 ? ", which changes nothing" : ""}.`
      : `Took version ${takenBack} back: all clients have ${version === 0 ? "the deployed rules" : `version ${version}`}.`,
  );
  warnOfLeftOut(published);
}

/** Entries by single calls stay in Redis, so that rules which allow them again bring them back. */
function warnOfLeftOut({ leftOut = 0 }: Published): void {
  if (leftOut === 0) return;
  const entries = count(leftOut, "entry", "entries");
  note(
    `warning: these rules leave ${entries} of single clients out of force. \`tidegate overrides\` and \`tidegate lists\` show which, once the rules are in force.`,
  );
}

async function withdraw(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const ifMatch = await liveVersion(ask);
  await ask({ method: "DELETE", path: "/rules", ifMatch }, Nothing);
  note(`Withdrew version ${ifMatch}: the deployed rules are in force. The history keeps it.`);
}

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
