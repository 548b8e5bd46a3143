import type { Command } from "commander";

import { Nothing, Overrides, PutOverride } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { noteLeftOut, sourceText } from "../output/entries.ts";
import { escape } from "../output/escape.ts";
import { note, print, printJson } from "../output/print.ts";
import { table } from "../output/table.ts";
import {
  collect,
  endOf,
  type EndOptions,
  endText,
  isDigest,
  isIdentity,
  type NameOptions,
  settingOf,
  withEnd,
  withName,
} from "./shared-options.ts";

export function registerOverrides(program: Command): void {
  const override = program
    .command("override")
    .description("Give a client a plan, or other numbers of some policies.")
    .argument("<identity>", "a header's name and value, such as x-user-id:42 or 'x-user-id:vip_*'")
    .option("--plan <name>", "one of the gateway's plans")
    .option(
      "--set <number>",
      "a number of a policy, such as rides.limit=200; may be repeated",
      collect,
    );
  withName(override);
  withExamples(
    withEnd(override).option("--remove", "take the override back").action(changeOverride),
    "npx tidegate override x-user-id:42 --plan gold --for 7d",
    "npx tidegate override 'x-user-id:vip_*' --set rides.limit=200 --set rides.refill=100",
  );
  withExamples(
    program.command("overrides").description("Show which clients have other limits.").action(show),
    "npx tidegate overrides",
    "npx tidegate overrides --json",
  );
}

interface OverrideOptions extends EndOptions, NameOptions {
  readonly plan?: string;
  readonly set?: readonly string[];
  readonly remove?: true;
}

async function changeOverride(
  identity: string,
  options: OverrideOptions,
  command: Command,
): Promise<void> {
  if (!isIdentity(identity)) {
    throw new UsageError(
      `An identity is a header's name and value (x-user-id:42), not "${identity}". For an address, give its name from \`tidegate top\`, with --digest.`,
    );
  }
  const client = isDigest(identity, options) ? { digest: identity } : { identity };
  const path = "/overrides";
  if (options.remove) {
    const ask = connect(command);
    await ask({ method: "DELETE", path, body: client }, Nothing);
    note(`Removed the override of ${identity}.`);
    return;
  }
  const body = { ...client, ...limitsOf(options), ...endOf(options) };
  const ask = connect(command);
  const { raw, value } = await ask({ method: "PUT", path, body }, PutOverride);
  if (wantsJson(command)) printJson(raw);
  noteScope(identity, value);
}

function noteScope(identity: string, value: PutOverride): void {
  const { appliesTo = [], warning } = value;
  const end = endText(value);
  const rules = appliesTo.map(
    ({ index, method, path }) => `rules[${index}] (${escape(`${method} ${path}`)})`,
  );
  const scope =
    rules.length === 0
      ? ""
      : ` They hold for requests that these rules cover, which count by this header: ${rules.join(", ")}.`;
  const holds = warning === undefined || rules.length > 0;
  note(
    holds
      ? `Other limits hold for ${identity}${end}.${scope}`
      : `Kept the override of ${identity}${end}.`,
  );
  if (warning !== undefined) note(`warning: ${escape(warning)}`);
}

function limitsOf({ plan, set = [] }: OverrideOptions): object {
  if ((plan === undefined) === (set.length === 0)) {
    throw new UsageError("Give either --plan or --set, such as --set rides.limit=200.");
  }
  return plan === undefined ? { policies: policiesOf(set) } : { plan };
}

/** A policy's name may contain dots, so that the last one separates. */
function policiesOf(settings: readonly string[]): object {
  const policies = new Map<string, Record<string, number | string>>();
  for (const setting of settings) {
    const [, policy, option, value] = /^(.+)\.([A-Za-z]+)=(\S+)$/.exec(setting) ?? [];
    if (policy === undefined || option === undefined || value === undefined) {
      throw new UsageError(
        `--set takes policy.option=value, such as rides.limit=200, not "${setting}".`,
      );
    }
    policies.set(policy, { ...policies.get(policy), [option]: settingOf(value) });
  }
  return Object.fromEntries(policies);
}

async function show(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "GET", path: "/overrides" }, Overrides);
  const rows = value.entries.map((entry) => [
    entry.identity ?? entry.digest,
    entry.plan === undefined ? JSON.stringify(entry.policies) : `plan ${entry.plan}`,
    entry.until ?? "never",
    sourceText(entry),
    entry.by ?? "",
  ]);
  if (wantsJson(command)) printJson(raw);
  else if (rows.length === 0) note("There are no overrides.");
  else print(table(["identity", "limits", "ends", "from", "by"], rows));
  noteLeftOut(value.entries);
  await noteDegraded(ask);
}
