import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { DANGEROUS, allowedCommands } from "../../src/node/bridge/allowed-commands.ts";
import { type Bridge, startBridge } from "../../src/node/bridge/bridge.ts";
import { PARAMETERS } from "../../src/node/doctor/gather/redis.ts";
import { ask, refusalOf, result, token } from "../support/bridge/harness.ts";

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

describe("compared with the commands of this server", () => {
  test("no command that runs blocks, subscribes or is one of the connection", async () => {
    const commands = await commandsOf(inject("redisUrl"));
    for (const { name, flags } of commands) {
      const [command = "", subcommand] = name.split("|");
      // Only without the option that blocks.
      if (command === "XREAD" || command === "XREADGROUP") continue;
      if (!isAllowed(command, subcommand === undefined ? [] : [subcommand])) continue;
      expect([name, flags.filter((flag) => /^(?:blocking|no_auth|no_multi)$/.test(flag))]).toEqual([
        name,
        [],
      ]);
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
    expect(run.sort()).toEqual([
      "CLUSTER|REPLICAS",
      "INFO",
      "LASTSAVE",
      "LATENCY|DOCTOR",
      "LATENCY|GRAPH",
      "LATENCY|HISTOGRAM",
      "LATENCY|HISTORY",
      "LATENCY|LATEST",
      "MODULE|LIST",
      "ROLE",
      "SLOWLOG|GET",
      "SLOWLOG|LEN",
      "SORT",
      "SORT_RO",
    ]);
  });

  test("commands that may be granted are known to this server, and neither block nor are of the connection", async () => {
    const commands = new Map(
      (await commandsOf(inject("redisUrl"))).map((each) => [each.name, each]),
    );
    for (const name of DANGEROUS) {
      const found = commands.get(name.replace(" ", "|"));
      expect([
        name,
        found?.flags.filter((flag) => /^(?:blocking|no_auth|no_multi)$/.test(flag)),
      ]).toEqual([name, []]);
    }
  });
});

describe("beside other clients", () => {
  let server: RedisServer;
  let bridge: Bridge;
  beforeAll(async () => {
    server = await startRedisServer();
    bridge = await startBridge({ redis: server.url, port: 0, token });
  });
  afterAll(async () => {
    await bridge.close();
    await server.stop();
  });

  const NAMES = [
    "SELECT",
    "CLIENT",
    "MULTI",
    "SUBSCRIBE",
    "MONITOR",
    "QUIT",
    "RESET",
    "HELLO",
    "AUTH",
    "BLPOP",
    "WATCH",
    "ASKING",
  ];
  const ATTACKS: [what: string, command: string[]][] = [
    ...NAMES.map((name): [string, string[]] => [`${name} and a NUL`, [`${name}\0x`, "1", "0"]]),
    ["CLIENT REPLY SKIP behind a NUL", ["CLIENT\0", "REPLY", "SKIP"]],
    ["a NUL before the rest of a name", ["GET\0SELECT", "k"]],
    ["a subcommand and a NUL", ["SCRIPT", "DEBUG\0", "YES"]],
    ["a container by its full name", ["CLIENT|REPLY", "SKIP"]],
    [
      "a group read that blocks before its group",
      ["XREADGROUP", "BLOCK", "0", "GROUP", "g", "c", "STREAMS", "s", ">"],
    ],
    [
      "a group read that blocks after its group",
      ["XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "s", ">"],
    ],
    [
      "a read that blocks after its count",
      ["XREAD", "COUNT", "1", "block", "0", "STREAMS", "s", "$"],
    ],
    [
      "a read whose count hides a block",
      ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", "s", "$"],
    ],
    ["what Redis takes for HTTP", ["POST", "/"]],
    ["what Redis takes for a header", ["HOST:", "x"]],
    ["ending the script of another client", ["SCRIPT", "KILL"]],
    ["ending the function of another client", ["FUNCTION", "KILL"]],
    ["moving a key to another server", ["MIGRATE", "10.0.0.1", "6379", "k", "0", "5000"]],
    ["an object's own property", ["CONSTRUCTOR", "x"]],
    ["a name of a megabyte", ["A".repeat(1_000_000)]],
  ];

  test.each(ATTACKS)("%s changes no reply of theirs", async (_what, command) => {
    const others = async () => {
      const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
      const answers = await Promise.all(texts.map((text) => ask(bridge, ["ECHO", text])));
      expect(answers).toEqual(texts.map(result));
    };
    await ask(bridge, ["SET", "here", "1"]);
    const [refused, batch, transaction] = await Promise.all([
      ask(bridge, command),
      ask(bridge, { path: "/pipeline", body: [command, ["GET", "here"]] }),
      ask(bridge, { path: "/multi-exec", body: [["GET", "here"], command] }),
      others(),
    ]);
    const message = refusalOf(command[0]!.toUpperCase().slice(0, 32));
    expect(refused).toMatchObject({ status: 400, body: { error: message } });
    expect(batch).toMatchObject({ status: 200, body: [{ error: message }, { result: "1" }] });
    expect(transaction).toMatchObject({ status: 400, body: { error: message } });
    await others();
    expect(await ask(bridge, ["GET", "here"])).toEqual(result("1"));
  });

  test("reads of streams that do not block run, under any names of streams and groups", async () => {
    await ask(bridge, ["XGROUP", "CREATE", "BLOCK", "block", "$", "MKSTREAM"]);
    const read = [
      "XREADGROUP",
      "GROUP",
      "block",
      "BLOCK",
      "NOACK",
      "COUNT",
      "1",
      "STREAMS",
      "BLOCK",
      ">",
    ];
    expect(await ask(bridge, read)).toEqual(result(null));
    expect(await ask(bridge, ["xread", "count", "1", "streams", "BLOCK", "0"])).toEqual(
      result(null),
    );
    expect(await ask(bridge, ["XREAD"])).toMatchObject({ status: 400 });
  });
});

test("the configuration of the server is not written, and only parts without secrets are read", async () => {
  for (const args of [
    ["SET", "maxmemory", "1"],
    ["RESETSTAT"],
    ["set", "requirepass", "mine"],
    ["REWRITE"],
    ["GET", "requirepass"],
    ["GET", "*"],
    ["GET", "timeout", "masterauth"],
    ["GET", "time*"],
    ["GET"],
    [],
  ]) {
    expect([args, isAllowed("CONFIG", args)]).toEqual([args, false]);
  }
  for (const args of [
    ["GET", "timeout"],
    ["get", "Save", "maxmemory-policy"],
  ]) {
    expect([args, isAllowed("CONFIG", args)]).toEqual([args, true]);
  }
  for (const args of [["GETUSER", "default"], ["LIST"], ["USERS"], ["LOG"]]) {
    expect([args, isAllowed("ACL", args)]).toEqual([args, false]);
  }
});

test("the doctor may read each parameter that it asks for", () => {
  expect(PARAMETERS.filter((name) => !isAllowed("CONFIG", ["GET", name]))).toEqual([]);
});
