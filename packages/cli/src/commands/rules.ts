import type { Command } from "commander";

import { Difference, Live } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { EXIT, NoAnswerError, UsageError } from "../errors.ts";
import { writeFile } from "../files.ts";
import { withExamples } from "../help.ts";
import { changeLines } from "../output/changes.ts";
import { toJson } from "../output/escape.ts";
import { note, print, printJson } from "../output/print.ts";

/** The commands that read the rules. */
export function registerRules(rules: Command): void {
  withExamples(
    rules
      .command("pull")
      .description(
        "Fetch the rules that are live, with the version that a push of them is based on.",
      )
      .option("-o, --output <file>", "write them to a file (default: print them)")
      .option("--held", "fetch what an isolate still enforces, where Redis has lost or broken it")
      .action(pull),
    "npx tidegate rules pull -o rules.json",
    "npx tidegate rules pull | jq '.rules[].path'",
  );
  withExamples(
    rules
      .command("diff")
      .description(
        "Show how two documents differ: + is new, - is gone, ~ is changed. Each is live, deployed, draft, or the number of a version.",
      )
      .argument("[from]", "the old one (default: live)")
      .argument("[to]", "the new one (default: draft)")
      .option("--from <document>", "the old one, in place of the first argument")
      .option("--to <document>", "the new one, in place of the second argument")
      .option("--exit-code", "exit with 1 if they differ")
      .action(diff),
    "npx tidegate rules diff",
    "npx tidegate rules diff 5 live --exit-code",
  );
}

interface PullOptions {
  readonly output?: string;
  readonly held?: true;
}

async function pull({ output, held }: PullOptions, command: Command): Promise<void> {
  const ask = connect(command);
  const published = await ask({ method: "GET", path: "/rules" }, Live);
  const { raw, value } = held ? await ask({ method: "GET", path: "/rules?held" }, Live) : published;
  if (value.document === null) {
    throw new NoAnswerError(
      `Version ${value.version} has no document in Redis: \`tidegate rules pull --held\` reads what an isolate enforces.`,
    );
  }
  const { $schema, ...document } = value.document;
  // A push of the held rules takes the place of the published ones.
  const { version } = published.value;
  const based = { ...($schema !== undefined && { $schema }), version };
  const result = wantsJson(command) ? raw : { ...based, ...document, version };
  if (!held) await noteDegraded(ask);
  if (output === undefined) {
    printJson(result);
    return;
  }
  writeFile(output, `${toJson(result)}\n`);
  if (held) {
    note(
      `Wrote what an isolate holds of ${value.version === 0 ? "the deployed rules" : `version ${value.version}`} to ${output}. Isolates may hold different versions: ask again for another one.`,
    );
    return;
  }
  note(
    value.version === 0
      ? `Wrote the deployed rules to ${output}: nothing has been published yet.`
      : `Wrote version ${value.version} to ${output}.`,
  );
  if (value.trial)
    note(
      `Version ${value.trial.version} is tried over it on ${value.trial.percent} percent of the clients: \`tidegate rules trial\` shows how it does.`,
    );
}

interface DiffOptions {
  readonly from?: string;
  readonly to?: string;
  readonly exitCode?: true;
}

async function diff(
  first: string | undefined,
  second: string | undefined,
  { exitCode, ...named }: DiffOptions,
  command: Command,
): Promise<void> {
  const from = onlyOne(first, named.from, "old", "--from");
  const to = onlyOne(second, named.to, "new", "--to");
  const query = new URLSearchParams();
  if (from !== undefined) query.set("from", checkName(from));
  if (to !== undefined) query.set("to", checkName(to));
  const ask = connect(command);
  const path = query.size > 0 ? `/rules/diff?${query}` : "/rules/diff";
  const { raw, value } = await ask({ method: "GET", path }, Difference);
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  if (value.changes.length === 0) note("No differences.");
  if (exitCode && value.changes.length > 0) process.exitCode = EXIT.no;
}

/** A document is named by an argument or by an option. */
function onlyOne(
  argument: string | undefined,
  named: string | undefined,
  which: string,
  option: string,
): string | undefined {
  if (argument === undefined || named === undefined) return argument ?? named;
  throw new UsageError(`Give the ${which} document once: ${argument}, or ${option} ${named}.`);
}

function checkName(document: string): string {
  if (/^(?:live|deployed|draft|\d{1,15})$/.test(document)) return document;
  throw new UsageError(`Give live, deployed, draft or the number of a version, not "${document}".`);
}
