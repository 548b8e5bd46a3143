import type { Command } from "commander";

import { History } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";

/** Lists the published versions. */
export async function history(_options: unknown, command: Command): Promise<void> {
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
