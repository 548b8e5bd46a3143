import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { AT, BY, CHANGES, DOCUMENT, LIVE, ok, PUBLISHED } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

const COUNTS = { policy: "api", partition: "ip:192.0.2.1" };
const HISTORY = { from: AT, times: [AT], partitions: [{ ...COUNTS, denied: [1], near: [0] }] };
const ENTRY = { cidr: "203.0.113.7", until: AT, by: BY };
const OVERRIDE = { identity: "x-user-id:1", plan: "gold", appliesTo: [], by: BY };

/** Commands with a gateway's answers, to which a later gateway may add. */
const COMMANDS: readonly (readonly [command: string, answer: object])[] = [
  ["rules pull", LIVE],
  ["rules diff", { changes: CHANGES }],
  ["rules history", { versions: [{ version: 1, publishedAt: AT, by: BY, current: true }] }],
  ["rules push rules.json", PUBLISHED],
  ["rules push rules.json --dry-run", PUBLISHED],
  ["rules draft rules.json", { basedOn: 7, changes: CHANGES }],
  ["rules publish", PUBLISHED],
  ["rules raise 50", PUBLISHED],
  ["rules rollback --discard-held", PUBLISHED],
  ["explain GET /", { verdict: "allowed", status: 200, rules: [{ index: 0, policies: [] }] }],
  ["history GET /", HISTORY],
  ["reset GET /", { reset: [COUNTS] }],
  ["top", { from: AT, partitions: [{ ...COUNTS, count: 3 }] }],
  ["block 203.0.113.7", ENTRY],
  ["allow 203.0.113.7", ENTRY],
  ["override x-user-id:1 --plan gold", OVERRIDE],
  ["overrides", { entries: [OVERRIDE] }],
  ["audit", { entries: [{ n: 1, at: AT, by: BY, action: "publish", changes: CHANGES }] }],
];

test.each(COMMANDS)(
  "tidegate %s --json prints the gateway's answer, and no other text",
  async (command, given) => {
    writeFileSync(join(on.cwd, "rules.json"), JSON.stringify({ version: 7, ...DOCUMENT }));
    const answer = { ...given, later: { added: [1, null] } };
    on.gateway.script(ok(answer));
    const { out, exit } = await on.run([...command.split(" "), "--json"]);
    expect([exit, JSON.parse(out)]).toEqual([0, answer]);
  },
);

test("the rules that an isolate holds are written as based on the published ones, which a push replaces", async () => {
  on.gateway.script(ok({ ...LIVE, version: 2, document: null }), ok({ ...LIVE, version: 7 }));
  const { err, exit } = await on.run(["rules", "pull", "--held", "-o", "held.json"]);
  expect(exit).toBe(0);
  expect(err).toContain("of version 7 to held.json");
  const held = JSON.parse(readFileSync(join(on.cwd, "held.json"), "utf8")) as object;
  expect(held).toEqual({ ...DOCUMENT, version: 2 });
  expect(on.gateway.seen).toEqual([seen("GET", "/rules"), seen("GET", "/rules?held")]);
});
