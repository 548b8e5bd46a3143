import { expect, test } from "vitest";

import { AT, LIVE, ok } from "./answers.ts";
import type { Scripted } from "./scripted-gateway.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

const EMPTY = ok({ entries: [] });
const HISTORY = ok({ from: AT, to: AT, times: [], minutes: [], partitions: [] });
const COMMANDS: readonly [args: readonly string[], answers: readonly Scripted[]][] = [
  [["lists"], [EMPTY, EMPTY]],
  [
    ["lists", "--json"],
    [EMPTY, EMPTY],
  ],
  [["overrides"], [EMPTY]],
  [["overrides", "--json"], [EMPTY]],
  [["rules", "pull"], [ok(LIVE)]],
  [["rules", "history"], [ok({ versions: [] })]],
  [["rules", "history", "--json"], [ok({ versions: [] })]],
  [
    ["history", "GET", "/"],
    [HISTORY, ok({ verdict: "passed", rules: [] })],
  ],
  [["history", "GET", "/", "--json"], [HISTORY]],
];

test.each(COMMANDS)("%j says that something else is in force", async (args, answers) => {
  on.gateway.script(...answers);
  on.gateway.health = ok({
    status: "degraded",
    live: { version: 7, error: "were \u001b[2Kdeleted" },
  });
  const degraded = await on.run(args);
  expect([degraded.exit, degraded.err]).toEqual([
    0,
    expect.stringContaining("warning: the gateway is degraded: were \\u001b[2Kdeleted\n"),
  ]);
  on.gateway.script(...answers);
  on.gateway.health = { status: 503, json: { status: "store-unavailable" } };
  const unknown = await on.run(args);
  expect([unknown.exit, unknown.err]).toEqual([
    0,
    expect.stringContaining("warning: whether this is in force is not known: "),
  ]);
  on.gateway.script(...answers);
  expect((await on.run(args)).err).not.toContain("warning");
});
