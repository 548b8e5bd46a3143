import type { Command } from "commander";

import { Published } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { changeLines } from "../output/changes.ts";
import { print, printJson } from "../output/print.ts";
import { notePublished } from "../output/publication.ts";

/** Changes the published rules by one call, and prints what it changed. */
export async function change(
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
