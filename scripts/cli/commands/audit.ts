import type { Command } from "commander";

import { Audit } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { withExamples } from "../help.ts";
import { print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";

export function registerAudit(program: Command): void {
  withExamples(
    program
      .command("audit")
      .description("List who changed what, the newest first; --json shows every change, too.")
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
  const rows = value.entries.map(({ at, by, action, version, changes }) => [
    at,
    by,
    action,
    version ?? "",
    changes?.length ?? "",
  ]);
  print(table(["at", "by", "action", "version", "changes"], rows));
}
