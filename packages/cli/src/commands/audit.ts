import type { Command } from "commander";

import { Audit, type Change } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
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
      .action(audit),
    "npx tidegate audit",
    "npx tidegate audit --json | jq '.entries[0].changes'",
  );
}

async function audit(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
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

/** The first change, and how many there were besides. */
function summaryOf([first, ...others]: readonly Change[], omitted: number): string {
  if (first === undefined) return "";
  const more = others.length + omitted;
  return `${changeText(first)}${more > 0 ? `, and ${more} more` : ""}`;
}
