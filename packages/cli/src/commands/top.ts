import type { Command } from "commander";

import { Top } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { withExamples } from "../help.ts";
import { escape } from "../output/escape.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";
import { LAST, type SpanOptions, spanQuery } from "./shared-options.ts";

export function registerTop(program: Command): void {
  withExamples(
    program
      .command("top")
      .description(
        "List the clients that were denied most lately, and by which policy. Header values are hashed, and so are addresses unless METRICS_IDENTITIES is plain.",
      )
      .option(...LAST)
      .option("--near", "instead, those that used more than three quarters of a limit")
      .action(top),
    "npx tidegate top --last 6h",
    "npx tidegate top --near --json",
  );
}

interface TopOptions extends SpanOptions {
  readonly near?: true;
}

async function top({ near, ...span }: TopOptions, command: Command): Promise<void> {
  const query = [`kind=${near ? "near" : "denied"}`, spanQuery(span) ?? []].flat().join("&");
  const ask = connect(command);
  const path = `/top?${query}`;
  const { raw, value } = await ask({ method: "GET", path }, Top);
  if (wantsJson(command)) {
    printJson(raw);
    return;
  }
  const { partitions, from } = value;
  const what = near ? "near a limit" : "denied";
  if (partitions.length === 0) {
    note(`Nobody was ${what} since ${escape(from)}.`);
    return;
  }
  const hints = partitions.some(({ hint }) => hint !== undefined);
  const rows = partitions.map(({ policy, partition, count, hint }) => {
    const row = [policy, partition, count];
    return hints ? row.concat(hint === undefined ? "" : `…${hint}`) : row;
  });
  const head = ["policy", "partition", "at least"];
  print(table(hints ? [...head, "key ends in"] : head, rows));
  note(`${near ? "Near a limit" : "Denied"} since ${escape(from)}.`);
}
