import type { Command } from "commander";

import { parseCidr } from "../../../../src/features/lists/address-ranges.ts";
import { Entries, Entry, Nothing } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { entryName, noteLeftOut, sourceText } from "../output/entries.ts";
import { note, print, printJson } from "../output/print.ts";
import { type Cell, table } from "../output/table.ts";
import {
  endOf,
  type EndOptions,
  endText,
  isDigest,
  isIdentity,
  type NameOptions,
  withEnd,
  withName,
} from "./shared-options.ts";

const LISTS = [
  { command: "block", list: "deny", effect: "Refuse a client", done: "Blocked" },
  { command: "allow", list: "allow", effect: "Exempt a client from every limit", done: "Allowed" },
] as const;
type ListCommand = (typeof LISTS)[number];

/** The commands that change the lists of clients. */
export function registerLists(program: Command): void {
  for (const each of LISTS) {
    const command = program
      .command(each.command)
      .description(
        `${each.effect}: an address or range, a header's name and value, a network, or a country.`,
      )
      .argument("<entry>", "203.0.113.0/24, x-user-id:42, AS64496 or CH");
    withExamples(
      withEnd(command)
        .option("--remove", "take the entry off the list")
        .option("--every-address", "needed for a range that holds all clients, such as 0.0.0.0/0")
        .action((entry: string, options: ListOptions, own: Command) =>
          changeList(each, entry, options, own),
        ),
      `npx tidegate ${each.command} 203.0.113.7 --for 1h`,
      `npx tidegate ${each.command} x-user-id:42 --remove`,
    );
    // An exemption names its client: the gateway compares digests after the lists.
    if (each.list === "deny") withName(command);
  }
  withExamples(
    program.command("lists").description("Show who is blocked and who is allowed.").action(show),
    "npx tidegate lists",
    "npx tidegate lists --json",
  );
}

interface ListOptions extends EndOptions, NameOptions {
  readonly remove?: true;
  readonly everyAddress?: true;
}

async function changeList(
  { command: verb, list, done }: ListCommand,
  text: string,
  options: ListOptions,
  command: Command,
): Promise<void> {
  const entry = list === "deny" && isDigest(text, options) ? { digest: text } : entryOf(text);
  const path = `/lists/${list}`;
  if (options.remove) {
    const ask = connect(command);
    await ask({ method: "DELETE", path, body: entry }, Nothing);
    note(`Removed ${text}.`);
    return;
  }
  if (parseCidr(addressOf(text))?.prefix === 0 && !options.everyAddress) {
    throw new UsageError(
      `${text} is every address: to ${verb} all clients that have one, add --every-address.`,
    );
  }
  const body = { ...entry, ...endOf(options) };
  const ask = connect(command);
  const { raw, value } = await ask({ method: "PUT", path, body }, Entry);
  if (wantsJson(command)) printJson(raw);
  note(`${done} ${text}${endText(value)}.`);
}

/** An entry of a list as the user wrote it. Addresses come first: those of IPv6 have colons, too. */
function entryOf(text: string): object {
  const address = addressOf(text);
  if (parseCidr(address)) return { cidr: address };
  const [, asn] = /^(?:AS|asn:)(\d{1,10})$/i.exec(text) ?? [];
  if (asn !== undefined) return { asn: Number(asn) };
  const [, country] = /^(?:country:)?([A-Z][A-Z0-9])$/.exec(text) ?? [];
  if (country !== undefined) return { country };
  if (isIdentity(text)) return { identity: text };
  throw new UsageError(
    `Give an address or range, a header's name and value (x-user-id:42), a network (AS64496) or a country (CH), not "${text}".`,
  );
}

/** An address, which `explain` prints as "ip:203.0.113.7". */
const addressOf = (text: string) => text.replace(/^ip:/, "");

async function show(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const deny = await ask({ method: "GET", path: "/lists/deny" }, Entries);
  const allow = await ask({ method: "GET", path: "/lists/allow" }, Entries);
  if (wantsJson(command)) {
    printJson({ deny: deny.raw, allow: allow.raw });
  } else {
    const rows = [...rowsOf("deny", deny.value.entries), ...rowsOf("allow", allow.value.entries)];
    if (rows.length === 0) note("Both lists are empty.");
    else print(table(["list", "entry", "ends", "from", "by"], rows));
  }
  noteLeftOut([...deny.value.entries, ...allow.value.entries]);
  await noteDegraded(ask);
}

function rowsOf(list: string, entries: readonly Entry[]): readonly (readonly Cell[])[] {
  return entries.map((entry) => [
    list,
    entryName(entry),
    entry.until ?? "never",
    sourceText(entry),
    entry.by ?? "",
  ]);
}
