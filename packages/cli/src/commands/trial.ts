import type { Command } from "commander";

import { BY_GATEWAY } from "../../../../src/store/control/put-back.ts";
import { MIN_DECISIONS, type SideCounts } from "../../../../src/store/control/trial.ts";
import { Audit, Live, Published } from "../answers.ts";
import { type Ask, connect, wantsJson } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { changeLines } from "../output/changes.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";

/** The options by which a part of the clients gets a version. */
export interface TrialOptions {
  readonly percent?: string;
  readonly maxDenied?: string;
}

/** The commands about a version that only a part of the clients has; `rules rollback` takes it back. */
export function registerTrial(rules: Command): void {
  withExamples(
    rules
      .command("trial")
      .description(
        "Show the version that is tried on a part of the clients, and the decisions about both sides since its percentage was set.",
      )
      .action(trial),
    "npx tidegate rules trial",
    "npx tidegate rules trial --json",
  );
  withExamples(
    rules
      .command("raise")
      .description(
        "Give the version that is tried to more clients. `rules rollback` takes it back.",
      )
      .argument("<percent>", "how many of the clients get it: 1 to 99, or 100 for all")
      .action(raise),
    "npx tidegate rules raise 50",
    "npx tidegate rules raise 100",
  );
}

export function withTrialOptions(command: Command): Command {
  return command
    .option("--percent <number>", "publish to so many of the clients, 1 to 99, beside the others")
    .option(
      "--max-denied <share>",
      "with --percent: take it back once more of its decisions are denials, such as 0.05; give twice the share of today's rules",
    );
}

/** The same for the admin API. */
export function termsOf({ percent, maxDenied }: TrialOptions) {
  return {
    ...(percent !== undefined && { percent: numberOf("--percent", percent) }),
    ...(maxDenied !== undefined && { maxDenied: numberOf("--max-denied", maxDenied) }),
  };
}

function numberOf(option: string, text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a number, not "${text}".`);
}

async function trial(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "GET", path: "/rules" }, Live);
  if (wantsJson(command)) {
    printJson((raw as { readonly trial?: unknown }).trial ?? null);
    return;
  }
  if (!value.trial) {
    note("No version is tried: all clients have the same rules.");
    const ended = await endOfLast(ask);
    if (ended !== undefined) note(ended);
    return;
  }
  const { version, percent, maxDenied, counts } = value.trial;
  const row = (name: string, of: number, { decided, denied }: (typeof counts)["tried"]) => {
    const share = decided === 0 ? "-" : `${((100 * denied) / decided).toFixed(1)} %`;
    return [name, of, decided, denied, share];
  };
  print(
    table(
      ["clients", "version", "decisions", "denied", "share"],
      [
        row(`${percent} %`, version, counts.tried),
        row(`${100 - percent} %`, value.version, counts.others),
      ],
    ),
  );
  if (maxDenied === undefined) return;
  note(`Version ${version} is taken back above a share of ${inPercent(maxDenied)}.`);
  const usual = counts.others.denied / counts.others.decided;
  if (counts.others.decided >= MIN_DECISIONS && usual > maxDenied / 2) {
    note(
      `Version ${value.version} alone denies ${inPercent(usual)}: push version ${version} again with --max-denied above that, such as ${(Math.ceil(100 * Math.min(2 * usual, (1 + usual) / 2)) / 100).toFixed(2)}.`,
    );
  }
}

const inPercent = (share: number) => `${Number((100 * share).toFixed(1))} %`;

/** Why the last version that was tried is not any more, unless other rules were published since. */
async function endOfLast(ask: Ask): Promise<string | undefined> {
  const { value } = await ask({ method: "GET", path: "/audit" }, Audit);
  const last = value.entries.find(({ action }) =>
    /^(?:publish|give|rollback|take back)/.test(action),
  );
  const version = /^take back (\d+)$/.exec(last?.action ?? "")?.[1];
  if (last === undefined || version === undefined) return undefined;
  if (last.by !== BY_GATEWAY)
    return `Version ${version} was taken back at ${last.at} by ${last.by}.`;
  const { decided, denied } = Object(last.changes?.[0]?.before) as Partial<SideCounts>;
  return `Version ${version} took itself back at ${last.at}: of ${decided} decisions ${denied} were denials, more than its --max-denied allows.`;
}

async function raise(text: string, _options: unknown, command: Command): Promise<void> {
  const percent = numberOf("rules raise", text);
  const ask = connect(command);
  const sent = { method: "PUT", path: "/rules/trial", body: { percent } } as const;
  const { raw, value } = await ask(sent, Published);
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  note(
    percent === 100
      ? `All clients have version ${value.version}.`
      : `Version ${value.version} is tried on ${percent} percent of the clients.`,
  );
}
