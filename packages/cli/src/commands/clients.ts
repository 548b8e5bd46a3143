import type { Command } from "commander";

import { ClientHistory, Entries, Explanation, Reset } from "../answers.ts";
import { type Ask, connect, wantsJson } from "../connection.ts";
import { noteDegraded } from "../degraded.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { escape } from "../output/escape.ts";
import { explanationLines, meaningOfUncounted } from "../output/explanation.ts";
import { count, note, print, printJson } from "../output/print.ts";
import { type Cell, table } from "../output/table.ts";
import {
  aboutClient,
  aboutRequest,
  type ClientArgument,
  type ClientOptions,
} from "./client-arguments.ts";
import { LAST, spanQuery } from "./shared-options.ts";

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
      "Show how often a client was denied lately, and by which policy, by ten minutes: that of a request, or one by its name.",
    )
    .option(...LAST);
  withExamples(
    aboutClient(history, clientHistory),
    "npx tidegate history POST /api/rides -H 'x-user-id: 42'",
    "npx tidegate history x-user-id:c0dUb9RfIR_uUrhf4qAe1Uj4QHxHZy1y8tGKSAiKT7I --digest --last 6h",
  );
  const reset = program
    .command("reset")
    .description(
      "Forget what the policies that cover a request have counted of its client, but not what is counted for everybody. Of a client by its name, what one policy and those that count the same clients have counted.",
    )
    .option("--policy <name>", "with --digest: the policy that `tidegate top` names beside it");
  withExamples(
    aboutClient(reset, resetClient),
    "npx tidegate reset POST /api/rides -H 'x-user-id: 42'",
    "npx tidegate reset x-user-id:c0dUb9RfIR_uUrhf4qAe1Uj4QHxHZy1y8tGKSAiKT7I --digest --policy rides",
  );
}

async function explainRequest(body: object, command: Command): Promise<void> {
  const ask = connect(command);
  const { raw, value } = await ask({ method: "POST", path: "/explain", body }, Explanation);
  if (wantsJson(command)) printJson(raw);
  else print(...explanationLines(value));
}

async function clientHistory(
  client: ClientArgument,
  options: ClientOptions,
  command: Command,
): Promise<void> {
  const query = spanQuery(options);
  const path = query === undefined ? "/partitions/history" : `/partitions/history?${query}`;
  const body = "digest" in client ? { name: client.digest } : client;
  const ask = connect(command);
  const { raw, value } = await ask({ method: "POST", path, body }, ClientHistory);
  if (wantsJson(command)) printJson(raw);
  else await printHistory(client, value, ask);
  await noteDegraded(ask);
}

async function printHistory(client: ClientArgument, value: ClientHistory, ask: Ask): Promise<void> {
  const { from, partitions } = value;
  const meaning = await meaningOfLists(client, ask);
  if (partitions.length === 0) {
    const nothing =
      "digest" in client
        ? `Nothing is listed of this client since ${escape(from)}.`
        : "No policy counts the client of this request.";
    note(meaning ?? nothing);
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
    // A list decides before the policies, so that their denials are past.
    ...(meaning === undefined ? [] : [meaning]),
  );
}

/** The meaning of a list for a client, or another reason why no policy is asked about it; `undefined` if one is. */
async function meaningOfLists(client: ClientArgument, ask: Ask): Promise<string | undefined> {
  if ("request" in client) {
    const { value } = await ask(
      { method: "POST", path: "/explain", body: client.request },
      Explanation,
    );
    return meaningOfUncounted(value);
  }
  const { value } = await ask({ method: "GET", path: "/lists/deny" }, Entries);
  const entries = value.entries.filter(({ digest }) => digest === client.digest);
  return entries.length === 0
    ? undefined
    : meaningOfUncounted({ verdict: "blocked", entries, rules: [] });
}

/** Those of the ten minutes in which something was counted. */
function historyRows({ times, partitions }: ClientHistory): readonly (readonly Cell[])[] {
  return times.flatMap((time, i) =>
    partitions
      .filter(({ denied, near }) => (denied[i] ?? 0) + (near[i] ?? 0) > 0)
      .map(({ policy, partition, denied, near }) => [
        time,
        policy,
        partition,
        denied[i] ?? 0,
        near[i] ?? 0,
      ]),
  );
}

async function resetClient(
  client: ClientArgument,
  { policy }: ClientOptions,
  command: Command,
): Promise<void> {
  if ("digest" in client !== (policy !== undefined)) {
    throw new UsageError(
      "--digest and --policy belong together: `tidegate top` names both of a client.",
    );
  }
  const body = "digest" in client ? { digest: client.digest, policy } : client.request;
  const ask = connect(command);
  const call = { method: "POST", path: "/identities/reset", body } as const;
  const { raw, value } = await ask(call, Reset);
  if (wantsJson(command)) printJson(raw);
  else if (value.reset.length > 0) {
    const rows = value.reset.map(({ policy: each, partition }) => [each, partition]);
    print(table(["policy", "partition"], rows));
  }
  note(`Forgot the counts of ${count(value.reset.length, "policy", "policies")}.`);
}
