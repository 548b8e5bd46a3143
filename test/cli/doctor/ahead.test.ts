import { expect, test } from "vitest";

import { checkAhead } from "../../../packages/cli/src/doctor/checks/ahead.ts";
import {
  deployBridge,
  deployGateway,
  deployRedis,
  diagnose,
} from "../../support/cli/deployment.ts";

const TOKEN = "fBv4mJ8xQ2fBv4mJ8xQ2";
const USER = "x-user-id";

const policy = (name: string, more: object = {}) => ({
  algorithm: "fixed-window",
  name,
  limit: 1_000,
  window: "1h",
  ...more,
});

const RULES = [
  {
    path: "/api/*",
    partition: [`header:${USER}`],
    policies: [policy("leased", { lease: "auto" })],
  },
  {
    path: "/early/*",
    partition: [`header:${USER}`],
    policies: [policy("early", { limit: 20, optimistic: true })],
  },
];

test("the doctor names the policies whose lease or optimism saved nothing in the last hour, and why, where it has a token", async () => {
  const { url: redis } = await deployRedis();
  const rest = await deployBridge(redis);
  const variables = { RULES, ADMIN_TOKEN: TOKEN, ADMIN_HOST: "any" };
  const url = await deployGateway(rest, { variables });
  const ask = async (path: string, user: string) => {
    await fetch(url + path, { headers: { [USER]: user } });
  };
  const found = async (token?: string) => {
    const findings = await diagnose({ url, path: "/elsewhere", ...(token && { token }) });
    const of = findings.find(({ id }) => id === "ahead-saved-nothing");
    return of && [of.severity, of.evidence];
  };
  // Nobody has asked yet.
  expect(await found(TOKEN)).toBeUndefined();
  for (let i = 0; i < 5; i++) await ask("/api/x", `user ${i}`);
  const seldom =
    "leased: 5 decisions, no unit ahead of the store: its clients ask too seldom, or the store answers too late";
  expect(await found(TOKEN)).toEqual(["note", seldom]);
  expect(await found()).toBeUndefined();
  expect(await found("some-token-of-another-gateway")).toBeUndefined();
  for (let i = 0; i < 20; i++) await ask("/api/x", "ada");
  expect(await found(TOKEN)).toBeUndefined();
  for (let i = 0; i < 3; i++) await ask("/early/x", "ada");
  expect(await found(TOKEN)).toBeUndefined();
});

test.each([
  [
    { allowed: 1, denied: 9, near: 1 },
    "10 decisions, no unit ahead of the store: most were denials",
  ],
  [
    { allowed: 9, denied: 1, near: 6 },
    "10 decisions, no unit ahead of the store: most were near the limit",
  ],
])("of %j it says %s", (counted, said) => {
  const row = (result: "allowed" | "denied") => ({
    policy: "api",
    mode: "enforce",
    result,
    counts: [counted[result], 0],
  });
  const stats = {
    ahead: [{ policy: "api", counts: [0, 0] }],
    evaluations: [row("allowed"), row("denied")],
    utilization: [{ policy: "api", le: 1, counts: [counted.near, 0] }],
  };
  const answer = { status: 200, body: JSON.stringify(stats) };
  expect(checkAhead({ stats: answer } as never)?.evidence).toBe(`api: ${said}`);
});

test.each([
  [404, "{}"],
  [200, "{"],
  [200, "{}"],
])("an answer of %i with the text %s says nothing", (status, body) => {
  expect(checkAhead({ stats: { status, body } } as never)).toBeUndefined();
});
