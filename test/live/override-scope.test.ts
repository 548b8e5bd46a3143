import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { startFleet } from "./fleet.ts";

const unnamed = { algorithm: "fixed-window", limit: 7, window: "1h" };
const RULES = [
  { path: "/rides", partition: ["header:x-user-id", "ip"], policies: [quota("rides", 5), unnamed] },
  {
    path: "/pay/*",
    method: ["POST", "PUT"],
    partition: ["ip"],
    policies: [
      quota("pay", 5),
      { ...quota("keys", 9), partition: [["header:X-Api-Key", "subnet"]] },
    ],
  },
  { path: "/all", partition: "*", policies: [quota("all", 5)] },
];
const RIDES = { index: 0, method: "*", path: "/rides" };
const PAY = { index: 1, method: "POST, PUT", path: "/pay/*" };

async function put(identity: string, terms: object = { policies: { rides: { limit: 50 } } }) {
  const { isolate } = await startFleet();
  const one = isolate({ RULES, PLANS: { gold: { rides: { limit: 50 }, keys: { limit: 90 } } } });
  const body = { identity, ...terms };
  return { one, ...(await one.api("PUT", "/overrides", body)) };
}

const numbersOf = (...names: readonly string[]) => ({
  policies: Object.fromEntries(names.map((name) => [name, { limit: 50 }])),
});

test.for([
  ["x-user-id:78", numbersOf("rides"), [RIDES]],
  ["X-User-Id: vip_*", numbersOf("rides"), [RIDES]],
  ["x-user-id:78", numbersOf("fixed-window-7-1h"), [RIDES]],
  // All policies of a rule change for the client that one of them counts.
  ["x-api-key:a:b", numbersOf("pay"), [PAY]],
  ["x-api-key:a", { plan: "gold" }, [PAY]],
  // The policies' own numbers, such as for one client of a pattern.
  ["x-api-key:a", { policies: {} }, [PAY]],
] as const)(
  "an override of %s with %j says for which rules it holds",
  async ([name, terms, rules]) => {
    const { status, body } = await put(name, terms);
    expect([status, body.appliesTo, body.warning]).toEqual([200, rules, undefined]);
  },
);

test.for([
  [["rides"], [], "rides"],
  [["keys", "all", "rides"], [PAY], "all, rides"],
] as const)(
  "an override of %j warns of policies whose rules do not count by its header",
  async ([names, rules, others]) => {
    const { body } = await put("x-api-key:a", numbersOf(...names));
    expect([body.appliesTo, body.warning]).toEqual([
      rules,
      `The rules of ${others} do not count by the header x-api-key: the override changes them only for requests that another rule, which counts by it, covers as well.`,
    ]);
  },
);

test("an override of a header that no rule counts by warns, and says which headers rules count by", async () => {
  const { one, status, body } = await put("x-usr-id:78");
  expect([status, body.appliesTo]).toEqual([200, []]);
  expect(body.warning).toBe(
    "No rule counts by the header x-usr-id, so that this override changes nothing. Did you mean `x-user-id`? Rules count by x-user-id, x-api-key.",
  );
  // A published document may count by it: then it holds, and says so.
  const document = { rules: [{ ...RULES[0], partition: ["header:x-usr-id"] }] };
  await one.api("PUT", "/rules", document, { "If-Match": '"0"' });
  const again = { identity: "x-usr-id:78", policies: { rides: { limit: 50 } } };
  const known = await one.api("PUT", "/overrides", again);
  expect([known.body.appliesTo, known.body.warning]).toEqual([[RIDES], undefined]);
});

test("rules that count by no header are said to", async () => {
  const { isolate } = await startFleet();
  const one = isolate({ RULES: [RULES[2]] });
  const body = { identity: "x-user-id:1", policies: { all: { limit: 50 } } };
  expect((await one.api("PUT", "/overrides", body)).body.warning).toBe(
    "No rule counts by the header x-user-id, so that this override changes nothing. No rule counts by a header.",
  );
});

test("an entry of a list has no such field: it holds for every identity that rules count by", async () => {
  const { isolate } = await startFleet();
  const { body } = await isolate({ RULES }).api("PUT", "/lists/deny", { identity: "x-usr-id:78" });
  expect(Object.keys(body).toSorted()).toEqual(["at", "by", "id", "identity", "source"]);
});

test("an override by digest brings no warning: metrics have the name of the identity that a rule counts", async () => {
  const { isolate } = await startFleet();
  const digest = `x-user-id:${"a".repeat(43)}`;
  const entry = { digest, policies: { rides: { limit: 50 } } };
  const { status, body } = await isolate({ RULES }).api("PUT", "/overrides", entry);
  expect([status, body.digest]).toEqual([200, digest]);
  expect([body.appliesTo, body.warning]).toEqual([undefined, undefined]);
});
