import type { Command } from "commander";

import { parseMoment } from "../../../../src/options/moment.ts";
import { Audit, type Change } from "../answers.ts";
import { type Ask, connect, wantsJson } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { changeText } from "../output/changes.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";

export function registerAudit(program: Command): void {
  withExamples(
    program
      .command("audit")
      .description(
        "List who changed what, the newest first. Of several changes it shows the first; --json shows more.",
      )
      .option(
        "--since <moment>",
        "print every change since this moment as a line of JSON, the oldest first",
      )
      .action(audit),
    "npx tidegate audit",
    "npx tidegate audit --since 2027-01-01T00:00:00Z > audit.jsonl",
  );
}

async function audit({ since }: { readonly since?: string }, command: Command): Promise<void> {
  const ask = connect(command);
  if (since !== undefined) {
    await exportSince(momentOf(since), ask);
    return;
  }
  const { raw, value } = await ask({ method: "GET", path: "/audit" }, Audit);
  if (wantsJson(command)) {
    printJson(raw);
    return;
  }
  if (value.entries.length === 0) {
    note("Nobody has changed anything yet.");
    return;
  }
  const rows = value.entries.map(({ at, by, action, version, changes = [], omitted = 0 }) => [
    at,
    by,
    action,
    version ?? "",
    summaryOf(changes, omitted),
  ]);
  print(table(["at", "by", "action", "version", "changes"], rows));
}

function momentOf(since: string): number {
  const ms = parseMoment(since);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `--since takes a moment with its time zone, such as 2027-01-01T00:00:00Z, not "${since}".`,
  );
}

/** The gateway answers with pages, the newest first. */
async function exportSince(sinceMs: number, ask: Ask): Promise<void> {
  const lines: string[] = [];
  let path = "/audit";
  for (;;) {
    const { raw, value } = await ask({ method: "GET", path }, Audit);
    const { entries } = raw as { readonly entries: readonly unknown[] };
    const isLater = value.entries.map(({ at }) => Date.parse(at) >= sinceMs);
    lines.push(...entries.filter((_, i) => isLater[i]).map((entry) => JSON.stringify(entry)));
    const last = value.entries.at(-1);
    if (last === undefined || isLater.includes(false)) break;
    path = `/audit?before=${last.n}`;
  }
  for (const line of lines.toReversed()) print(line);
}

/** The first change, and how many there were besides. */
function summaryOf([first, ...others]: readonly Change[], omitted: number): string {
  if (first === undefined) return "";
  const more = others.length + omitted;
  return `${changeText(first)}${more > 0 ? `, and ${more} more` : ""}`;
}
