import { Redis } from "ioredis";
import { describe, expect, inject, test } from "vitest";

import { PARAMETERS } from "../../packages/cli/src/doctor/gather/redis.ts";
import { DANGEROUS, allowedCommands } from "../../packages/redis-rest/src/allowed-commands.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { ask, others, refusalOf, result, useBridge } from "../support/redis-rest/harness.ts";

const isAllowed = (name: string, args: readonly string[] = []) => {
  try {
    allowedCommands()({ name, args: [...args] });
    return true;
  } catch {
    return false;
  }
};

type Row = [
  name: string,
  arity: number,
  flags: string[],
  first: number,
  last: number,
  step: number,
  categories: string[],
  tips: unknown,
  specs: unknown[],
  subcommands: Row[],
];

/** The commands that the server describes; a container as each of its subcommands. */
async function commandsOf(
  url: string,
): Promise<{ name: string; flags: string[]; hasKeys: boolean; categories: string[] }[]> {
  const redis = new Redis(url);
  const rows = (await redis.call("COMMAND")) as Row[];
  redis.disconnect();
  const each = (row: Row): Row[] => {
    const subcommands = row[9] ?? [];
    return subcommands.length > 0 ? subcommands : [row];
  };
  return rows.flatMap(each).map(([name, , flags, first, , , categories, , specs = []]) => {
    return { name: name.toUpperCase(), flags, hasKeys: first > 0 || specs.length > 0, categories };
  });
}

/** Flags of commands that block or change the connection. */
const UNUSABLE = /^(?:blocking|no_auth|no_multi)$/;

describe("compared with the commands of this server", () => {
  test("no command that runs blocks, subscribes or is one of the connection", async () => {
    const commands = await commandsOf(inject("redisUrl"));
    for (const { name, flags } of commands) {
      const [command = "", subcommand] = name.split("|");
      // Only without the option that blocks.
      if (command === "XREAD" || command === "XREADGROUP") continue;
      if (!isAllowed(command, subcommand === undefined ? [] : [subcommand])) continue;
      expect(
        flags.filter((flag) => UNUSABLE.test(flag)),
        name,
      ).toEqual([]);
      expect(name).not.toMatch(
        /SUBSCRIBE|^(?:SELECT|CLIENT|AUTH|HELLO|RESET|QUIT|MULTI|EXEC|WATCH|ASKING|READ)/,
      );
    }
  });

  test("every command of keys runs that a script may call and that does not block", async () => {
    const commands = await commandsOf(inject("redisUrl"));
    const kept = commands.flatMap(({ name, flags, hasKeys }) => {
      const isPlain = !flags.some((flag) => /^(?:blocking|noscript|pubsub|admin)$/.test(flag));
      const [command = "", ...subcommand] = name.split("|");
      return hasKeys && isPlain && !isAllowed(command, subcommand) ? [name] : [];
    });
    // The first waits for another server, whose address a client names; the others read bytes that may end this one.
    expect(kept.sort()).toEqual(["MIGRATE", "RESTORE", "RESTORE-ASKING"]);
  });

  test("of the commands that this server calls dangerous, only reads of its state and sorting run by themselves", async () => {
    const commands = await commandsOf(inject("redisUrl"));
    const run = commands.flatMap(({ name, categories }) => {
      const [command = "", ...subcommand] = name.split("|");
      return categories.includes("@dangerous") && isAllowed(command, subcommand) ? [name] : [];
    });
    expect(run.sort().join(" ")).toBe(
      "CLUSTER|REPLICAS INFO LASTSAVE LATENCY|DOCTOR LATENCY|GRAPH LATENCY|HISTOGRAM LATENCY|HISTORY LATENCY|LATEST MODULE|LIST ROLE SLOWLOG|GET SLOWLOG|LEN SORT SORT_RO",
    );
  });

  test("commands that may be granted are known to this server, and neither block nor are of the connection", async () => {
    const commands = await commandsOf(inject("redisUrl"));
    for (const name of DANGEROUS) {
      const found = commands.find((each) => each.name === name.replace(" ", "|"));
      expect(
        found?.flags.filter((flag) => UNUSABLE.test(flag)),
        name,
      ).toEqual([]);
    }
  });
});

describe("beside other clients", () => {
  let bridge: Bridge;
  useBridge((started) => ({ bridge } = started));

  const NAMES =
    "SELECT CLIENT MULTI SUBSCRIBE MONITOR QUIT RESET HELLO AUTH BLPOP WATCH ASKING".split(" ");
  const ATTACKS: [what: string, command: string[]][] = [
    ...NAMES.map((name): [string, string[]] => [`${name} and a NUL`, [`${name}\0x`, "1", "0"]]),
    ["CLIENT REPLY SKIP behind a NUL", ["CLIENT\0", "REPLY", "SKIP"]],
    ["a NUL before the rest of a name", ["GET\0SELECT", "k"]],
    ["a subcommand and a NUL", ["SCRIPT", "DEBUG\0", "YES"]],
    ["a container by its full name", ["CLIENT|REPLY", "SKIP"]],
    ...[
      "XREADGROUP BLOCK 0 GROUP g c STREAMS s >",
      "XREADGROUP GROUP g c BLOCK 0 STREAMS s >",
      "XREAD COUNT 1 block 0 STREAMS s $",
      "XREAD COUNT 1 BLOCK 0 STREAMS s $",
    ].map((text): [string, string[]] => [text, text.split(" ")]),
    ["what Redis takes for HTTP", ["POST", "/"]],
    ["what Redis takes for a header", ["HOST:", "x"]],
    ["ending the script of another client", ["SCRIPT", "KILL"]],
    ["ending the function of another client", ["FUNCTION", "KILL"]],
    ["moving a key to another server", ["MIGRATE", "10.0.0.1", "6379", "k", "0", "5000"]],
    ["an object's own property", ["CONSTRUCTOR", "x"]],
    ["a name of a megabyte", ["A".repeat(1_000_000)]],
  ];

  test.each(ATTACKS)("%s changes no reply of theirs", async (_what, command) => {
    await ask(bridge, ["SET", "here", "1"]);
    const [refused, batch, transaction] = await Promise.all([
      ask(bridge, command),
      ask(bridge, { path: "/pipeline", body: [command, ["GET", "here"]] }),
      ask(bridge, { path: "/multi-exec", body: [["GET", "here"], command] }),
      others(bridge),
    ]);
    const message = refusalOf(command[0]!.toUpperCase().slice(0, 32));
    expect(refused).toMatchObject({ status: 400, body: { error: message } });
    expect(batch).toMatchObject({ status: 200, body: [{ error: message }, { result: "1" }] });
    expect(transaction).toMatchObject({ status: 400, body: { error: message } });
    await others(bridge);
    expect(await ask(bridge, ["GET", "here"])).toEqual(result("1"));
  });

  test("reads of streams that do not block run, under any names of streams and groups", async () => {
    await ask(bridge, ["XGROUP", "CREATE", "BLOCK", "block", "$", "MKSTREAM"]);
    for (const read of [
      "XREADGROUP GROUP block BLOCK NOACK COUNT 1 STREAMS BLOCK >",
      "xread count 1 streams BLOCK 0",
    ]) {
      expect(await ask(bridge, read.split(" "))).toEqual(result(null));
    }
    expect(await ask(bridge, ["XREAD"])).toMatchObject({ status: 400 });
  });
});

test("the configuration of the server is not written, and only parts without secrets are read", async () => {
  const writes = [
    "CONFIG SET maxmemory 1",
    "CONFIG RESETSTAT",
    "CONFIG set requirepass mine",
    "CONFIG REWRITE",
  ];
  const secrets = ["GET requirepass", "GET *", "GET timeout masterauth", "GET time*", "GET"].map(
    (args) => `CONFIG ${args}`,
  );
  const users = ["ACL GETUSER default", "ACL LIST", "ACL USERS", "ACL LOG"];
  const reads = ["CONFIG GET timeout", "CONFIG get Save maxmemory-policy"];
  const run = ["CONFIG", ...writes, ...secrets, ...users, ...reads].filter((text) => {
    const [name, ...args] = text.split(" ");
    return isAllowed(name!, args);
  });
  expect(run).toEqual(reads);
});

test("the doctor may read each parameter that it asks for", () => {
  expect(PARAMETERS.filter((name) => !isAllowed("CONFIG", ["GET", name]))).toEqual([]);
});
