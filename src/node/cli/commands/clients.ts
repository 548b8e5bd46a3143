import type { Command } from "commander";

import { ClientHistory, Explanation, Reset } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { escape } from "../output/escape.ts";
import { explanationLines, meaningOfUncounted } from "../output/explanation.ts";
import { count, note, print, printJson } from "../output/print.ts";
import { type Cell, table } from "../output/table.ts";
import { collect } from "./option-values.ts";

/** The commands about a client, which a request of it describes. */
export function registerClients(program: Command): void {
  const explain = program
    .command("explain")
    .description(
      "Say what the gateway would do with a request, and why: each policy with what is left. Takes nothing.",
    );
  withExamples(
    aboutRequest(explain, explainRequest),
    "npx tidegate explain POST /api/rides -H 'x-user-id: 42'",
    "npx tidegate explain GET '/search?q=a' --ip 203.0.113.7 --country CH",
  );
  const history = program
    .command("history")
    .description(
      "Show how often the client of a request was denied in the last hour, and by which policy, by ten minutes.",
    );
  withExamples(
    aboutRequest(history, clientHistory),
    "npx tidegate history POST /api/rides -H 'x-user-id: 42'",
    "npx tidegate history GET / --ip 203.0.113.7 --json",
  );
  const reset = program
    .command("reset")
    .description(
      "Forget what the policies that cover a request have counted of its client, but not what is counted for everybody.",
    );
  withExamples(
    aboutRequest(reset, resetClient),
    "npx tidegate reset POST /api/rides -H 'x-user-id: 42'",
    "npx tidegate reset GET / --ip 203.0.113.7",
  );
}

/** Gives a command the arguments that describe a request, and has it run with that description. */
function aboutRequest(
  command: Command,
  run: (request: object, command: Command) => Promise<void>,
): Command {
  return command
    .argument("<method>", "its method, such as GET")
    .argument("<path>", "its path with the query, such as '/rides?x=1'")
    .option("-H, --header <header>", "a header as 'name: value'; may be repeated", collect)
    .option("--ip <address>", "the client's address (default: none)")
    .option("--country <code>", "its country, two capitals (default: none)")
    .option("--asn <number>", "the number of its network (default: none)")
    .action((method: string, path: string, options: RequestOptions, own: Command) =>
      run(requestOf(method, path, options), own),
    );
}

interface RequestOptions {
  readonly header?: readonly string[];
  readonly ip?: string;
  readonly country?: string;
  readonly asn?: string;
}

async function explainRequest(body: object, command: Command): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "POST", path: "/explain", body }, Explanation);
  if (wantsJson(command)) printJson(raw);
  else print(...explanationLines(value));
}

async function clientHistory(request: object, command: Command): Promise<void> {
  const ask = connect(command);
  const call = { method: "POST", path: "/partitions/history", body: { request } } as const;
  const { raw, value } = await ask(call, ClientHistory);
  if (wantsJson(command)) {
    printJson(raw);
    return;
  }
  const { from, partitions } = value;
  if (partitions.length === 0) {
    const { value: explained } = await ask(
      { method: "POST", path: "/explain", body: request },
      Explanation,
    );
    note(meaningOfUncounted(explained) ?? "No policy counts the client of this request.");
    return;
  }
  const rows = historyRows(value);
  const head = ["from", "policy", "partition", "denied at least", "near at least"];
  if (rows.length > 0) print(table(head, rows));
  const denied = partitions.flatMap((each) => each.denied).reduce((sum, each) => sum + each, 0);
  note(
    denied === 0
      ? `Not denied often enough to be listed since ${escape(from)}.`
      : `Denied at least ${count(denied, "time")} since ${escape(from)}.`,
  );
}

/** Those of the ten minutes in which something was counted. */
function historyRows({ times, partitions }: ClientHistory): readonly (readonly Cell[])[] {
  return times.flatMap((time, i) =>
    partitions
      .filter(({ denied, near }) => (denied[i] ?? 0) + (near[i] ?? 0) > 0)
      .map(({ policy, partition, denied, near }) => [
        time,
        policy,
        partition ?? undefined,
        denied[i] ?? 0,
        near[i] ?? 0,
      ]),
  );
}

async function resetClient(body: object, command: Command): Promise<void> {
  const ask = connect(command);
  const call = { method: "POST", path: "/identities/reset", body } as const;
  const { raw, value } = await ask(call, Reset);
  if (wantsJson(command)) printJson(raw);
  else if (value.reset.length > 0) {
    const rows = value.reset.map(({ policy, partition }) => [policy, partition]);
    print(table(["policy", "partition"], rows));
  }
  note(`Forgot the counts of ${count(value.reset.length, "policy", "policies")}.`);
}

/** The description of a request that the admin API takes. */
function requestOf(method: string, path: string, options: RequestOptions): object {
  const { header = [], ip, country, asn } = options;
  if (!path.startsWith("/")) throw new UsageError(`A path begins with "/", not "${path}".`);
  if (asn !== undefined && !/^\d{1,10}$/.test(asn)) {
    throw new UsageError(`--asn takes a number without "AS", such as 64496, not "${asn}".`);
  }
  return {
    method: method.toUpperCase(),
    path,
    ...(header.length > 0 && { headers: Object.fromEntries(joined(header)) }),
    ...(ip !== undefined && { ip }),
    ...(country !== undefined && { country }),
    ...(asn !== undefined && { asn: Number(asn) }),
  };
}

/** Headers of one name are joined, as a server reads them. */
function joined(headers: readonly string[]): Headers {
  const result = new Headers();
  for (const header of headers) {
    const colon = header.indexOf(":");
    try {
      result.append(header.slice(0, Math.max(0, colon)), header.slice(colon + 1));
    } catch {
      throw new UsageError("--header takes 'name: value', with a colon and no line break.");
    }
  }
  return result;
}
