import type { Command } from "commander";

import { WhatIf } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";
import { collect, settingOf } from "./option-values.ts";

/** The command that asks what other numbers of a policy would have changed. */
export function registerWhatIf(program: Command): void {
  withExamples(
    program
      .command("what-if")
      .description(
        "Say how many requests of the last minutes other numbers of a policy would have denied. Changes nothing.",
      )
      .argument("<policy>", "its name, such as rides")
      .requiredOption(
        "--set <number>",
        "one of its numbers, such as limit=5; may be repeated",
        collect,
      )
      .option("--minutes <number>", "how far back, 1 to 60", "60")
      .action(ask),
    "npx tidegate what-if rides --set limit=5",
    "npx tidegate what-if search --set limit=200 --set refill=100 --minutes 10",
  );
}

interface WhatIfOptions {
  readonly set: readonly string[];
  readonly minutes: string;
}

async function ask(policy: string, options: WhatIfOptions, command: Command): Promise<void> {
  const body = { policy, numbers: numbersOf(options.set), minutes: minutesOf(options.minutes) };
  const { raw, value } = await connect(command)({ method: "POST", path: "/what-if", body }, WhatIf);
  if (wantsJson(command)) {
    printJson(raw);
    return;
  }
  const { requests, deniedBefore, deniedAfter, partitionsAffected } = value;
  print(
    table(
      ["", "number", "19 times out of 20"],
      [
        ["requests", requests, "counted"],
        ["denied", deniedBefore, "counted"],
        ["denied after", ...cellsOf(deniedAfter)],
        ["partitions affected", ...cellsOf(partitionsAffected)],
      ],
    ),
  );
  const { partitions, oneIn, agreement, tooFew, otherNumbers, affectedShare } = value;
  note(`From ${partitions} partitions, one in ${oneIn} of all.`);
  if (tooFew) note("These are too few for an estimate of the requests.");
  if (affectedShare) {
    const [low, high] = [affectedShare.low, affectedShare.high].map(percent);
    note(
      `${partitionsAffected.sampled} of them are affected: 19 times out of 20, ${low} to ${high} of all.`,
    );
  }
  if (agreement !== null && agreement < 1) {
    note(`The replay agrees with what happened to ${percent(agreement)} of requests.`);
  }
  if (otherNumbers > 0) note(`${otherNumbers} more have other numbers, and were left out.`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function cellsOf({ estimate, low, high }: WhatIf["deniedAfter"]): [number | string, string] {
  return estimate === null ? ["too few", ""] : [estimate, `${low} to ${high}`];
}

function numbersOf(settings: readonly string[]): object {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, option, value] = /^([A-Za-z]+)=(\S+)$/.exec(setting) ?? [];
      if (option === undefined || value === undefined) {
        throw new UsageError(`--set takes option=value, such as limit=5, not "${setting}".`);
      }
      return [option, settingOf(value)];
    }),
  );
}

function minutesOf(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 60) return Number(text);
  throw new UsageError(`--minutes takes a whole number from 1 to 60, not "${text}".`);
}
