import { expect, test } from "vitest";

import { MAX_DOCUMENT_BYTES } from "../../src/store/control/storage.ts";
import { quota } from "../support/gateway/gateway.ts";
import { DEPLOYED, quotaOf, startLiveGateway } from "../support/live/live-gateway.ts";

const [rule] = DEPLOYED;
const policy = quota("api", 5);
const rules = DEPLOYED;
const withRule = (change: object) => ({ rules: [{ ...rule, ...change }] });
const withPolicy = (change: object) => withRule({ policies: [{ ...policy, ...change }] });
const withOverride = (override: unknown) => ({ rules, overrides: [override] });
const withOwn = (change: object) =>
  withOverride({ identity: "x-user-id:1", policies: { api: { limit: 1 } }, ...change });
const withDeny = (entry: unknown) => ({ rules, lists: { deny: [entry] } });

const manyOf = (entry: object) => Array.from({ length: 10_001 }, () => entry);

const HEADERS = Array.from({ length: 17 }, (_, i) => `header:x-${i}`);
const NO_TEXT = { toString: 1, valueOf: 1 };

/** Documents that no gateway enforces, each with the place of its first fault. */
const FAULTY: readonly [unknown, string][] = [
  [null, "document"],
  [[], "document"],
  ["rules", "document"],
  [7, "document"],
  [{}, "rules"],
  [{ rules: [] }, "rules"],
  [{ rules: {} }, "rules"],
  [{ rules: "[]" }, "rules"],
  [{ rules: JSON.stringify(rules) }, "rules"],
  [{ rules: Array(1_001).fill(rule) }, "rules"],
  [{ rules, rule: [] }, "rule"],
  [{ rules, policies: [policy] }, "policies"],
  [{ rules, version: "7" }, "version"],
  [{ rules, version: -1 }, "version"],
  [{ rules, version: 1.5 }, "version"],
  [{ rules, $schema: 1 }, "$schema"],
  [{ rules, $schema: "https://example.com/live-2.schema.json" }, "$schema"],
  [{ rules: [null] }, "rules[0]"],
  [{ rules: [[]] }, "rules[0]"],
  [{ rules: [rule, rule] }, "rules[1].policies[0].name"],
  [withRule({ path: undefined }), "rules[0].path"],
  [withRule({ path: "api" }), "rules[0].path"],
  [withRule({ path: "/../x" }), "rules[0].path"],
  [withRule({ path: "/(a+)+$\\" }), "rules[0].path"],
  [withRule({ method: "get" }), "rules[0].method"],
  [withRule({ method: [] }), "rules[0].method"],
  [withRule({ policies: [] }), "rules[0].policies"],
  [withRule({ policies: Array(17).fill(policy) }), "rules[0].policies"],
  [withRule({ partition: [] }), "rules[0].partition"],
  [withRule({ partition: ["header:"] }), "rules[0].partition[0]"],
  [withRule({ partition: ["path:id"] }), "rules[0].partition[0]"],
  [withRule({ onMissing: "allow" }), "rules[0].onMissing"],
  [withRule({ onFailure: "shut" }), "rules[0].onFailure"],
  [withRule({ plan: "header:x-plan" }), "rules[0].plan"],
  [withRule({ cost: -1 }), "rules[0].cost"],
  [withRule({ cost: { other: 1 } }), "rules[0].cost.other"],
  [withRule({ retryJitter: 2 }), "rules[0].retryJitter"],
  [withRule({ quota: "yes" }), "rules[0].quota"],
  [withPolicy({ algorithm: "leaky" }), "rules[0].policies[0].algorithm"],
  [withPolicy({ limit: 0 }), "rules[0].policies[0].limit"],
  [withPolicy({ limit: "5" }), "rules[0].policies[0].limit"],
  [withPolicy({ limit: 2 ** 53 }), "rules[0].policies[0].limit"],
  [withPolicy({ limit: 2.5 }), "rules[0].policies[0].limit"],
  [withPolicy({ window: "5 minutes" }), "rules[0].policies[0].window"],
  [withPolicy({ window: undefined }), "rules[0].policies[0].window"],
  [withPolicy({ refill: 5 }), "rules[0].policies[0].refill"],
  [withPolicy({ name: "a b" }), "rules[0].policies[0].name"],
  [withPolicy({ name: "a}b" }), "rules[0].policies[0].name"],
  [withPolicy({ mode: "dry" }), "rules[0].policies[0].mode"],
  [withPolicy({ counts: "denials" }), "rules[0].policies[0].counts"],
  [withPolicy({ shards: 1 }), "rules[0].policies[0].shards"],
  [withPolicy({ lease: "1m" }), "rules[0].policies[0].lease"],
  [withPolicy({ refundable: true }), "rules[0].policies[0].refundable"],
  [{ rules, plans: [] }, "plans"],
  [{ rules, plans: { gold: 5 } }, "plans.gold"],
  [{ rules, plans: { gold: { other: { limit: 5 } } } }, "plans.gold.other"],
  [{ rules, plans: { gold: { api: { limit: 0 } } } }, "plans.gold.api.limit"],
  [{ rules, plans: { "": { api: { limit: 1 } } } }, "plans."],
  [{ rules, overrides: {} }, "overrides"],
  [{ rules, overrides: manyOf({}) }, "overrides"],
  [{ rules, overrides: Array(400_000).fill(0) }, "overrides"],
  [{ rules, plans: Object.fromEntries(manyOf({}).map((plan, i) => [`p${i}`, plan])) }, "plans"],
  [withRule({ path: `/${"a/".repeat(1_000)}` }), "rules[0].path"],
  [withRule({ partition: Array(1_001).fill(0) }), "rules[0]"],
  [withPolicy({ partition: [Array(1_001).fill(0)] }), "rules[0]"],
  [withRule({ method: Array(33).fill("GET") }), "rules[0].method"],
  [withRule({ partition: HEADERS }), "rules[0].partition"],
  [withRule({ partition: [HEADERS] }), "rules[0].partition"],
  [withOverride(null), "overrides[0]"],
  [withOverride({ identity: "x-user-id:1" }), "overrides[0]"],
  [withOverride({ identity: "x-user-id:1", plan: "gold" }), "overrides[0].plan"],
  [withOwn({ identity: "1" }), "overrides[0].identity"],
  [withOwn({ identity: "x-user-id:*" }), "overrides[0].identity"],
  [withOwn({ identity: "x-user-id:*a" }), "overrides[0].identity"],
  [withOwn({ policies: { other: { limit: 1 } } }), "overrides[0].policies.other"],
  [withOwn({ policies: { api: { limit: 0 } } }), "overrides[0].policies.api.limit"],
  [withOwn({ until: "soon" }), "overrides[0].until"],
  [withOwn({ untl: 1 }), "overrides[0].untl"],
  [
    {
      ...withOwn({ policies: { api: { window: "1d" } } }),
      ...withPolicy({ window: "month", anchor: 15 }),
    },
    "overrides[0].policies.api.window",
  ],
  // A value that has such names of its own is no text, and cannot be made one.
  [withOverride({ identity: "x-user-id:1", plan: NO_TEXT }), "overrides[0].plan"],
  [withRule({ path: NO_TEXT }), "rules[0].path"],
  [{ rules, lists: [] }, "lists"],
  [{ rules, lists: { block: [] } }, "lists.block"],
  [{ rules, lists: { deny: {} } }, "lists.deny"],
  [{ rules, lists: { deny: manyOf({ asn: 1 }) } }, "lists.deny"],
  [{ rules, lists: { deny: Array(400_000).fill(0) } }, "lists.deny"],
  [withDeny({}), "lists.deny[0]"],
  [withDeny({ cidr: "10.0.0.0/33" }), "lists.deny[0].cidr"],
  [withDeny({ cidr: "10.0.0.1/8" }), "lists.deny[0].cidr"],
  [withDeny({ identity: "eve" }), "lists.deny[0].identity"],
  [withDeny({ asn: "AS1" }), "lists.deny[0].asn"],
  [withDeny({ country: "Switzerland" }), "lists.deny[0].country"],
  [withDeny({ cidr: "10.0.0.0/8", until: 1_700_000_000 }), "lists.deny[0].until"],
];

/** Texts that are no documents at all. */
const NO_DOCUMENTS = [
  "",
  "{",
  "undefined",
  "\u0000",
  '{"rules":',
  '{"rules":[{"path":"/*"',
  '{"__proto__":{"rules":[]}}',
  " ".repeat(MAX_DOCUMENT_BYTES + 1),
  `{"rules":${"[".repeat(100_000)}`,
];

const named = <Value>(count: number, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, value]));

const rulesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...rule, policies: [{ ...policy, name: `p${i}` }] }));

/** Each policy is compiled for each plan. */
const MANY_POLICIES = rulesOf(100);

test("there are at most a million pairs of a plan and a policy, with the tables of overrides among the plans", async () => {
  const { administered } = await startLiveGateway();
  const faultsOf = (plans: number, own: readonly number[] = []) =>
    administered
      .checkDocument({
        rules: MANY_POLICIES,
        plans: named(plans, {}),
        overrides: own.map((limit) => ({
          identity: `x-user-id:${limit}`,
          policies: { p0: { limit } },
        })),
      })
      .map(({ path }) => path);
  expect(faultsOf(10_000)).toEqual([]);
  expect(faultsOf(10_001)).toEqual(["plans"]);
  expect(faultsOf(9_998, [1, 2, 2])).toEqual([]);
  expect(faultsOf(9_998, [1, 2, 3])).toEqual(["overrides[2].policies"]);
});

test("a document has up to 1,000 rules, 10,000 overrides and 10,000 entries of each list", async () => {
  const { administered } = await startLiveGateway();
  const document = {
    rules: rulesOf(1_000),
    plans: { gold: {} },
    overrides: Array.from({ length: 10_000 }, (_, i) => ({
      identity: `x-user-id:${i}`,
      plan: "gold",
    })),
    lists: { allow: manyOf({ asn: 1 }).slice(1), deny: manyOf({ asn: 2 }).slice(1) },
  };
  expect(administered.checkDocument(document)).toEqual([]);
});

test("of thousands of unknown names the first thirty are faults", async () => {
  const { administered } = await startLiveGateway();
  const many = named(2_000, 0);
  for (const document of [
    { rules, ...many },
    withRule(many),
    withPolicy(many),
    { rules, plans: { gold: many } },
    { rules, plans: { gold: { api: many } } },
  ]) {
    expect(administered.checkDocument(document)).toHaveLength(30);
  }
});

test("a fault among thousands of names quotes some of them", async () => {
  const { administered } = await startLiveGateway();
  const faults = administered.checkDocument({
    rules: MANY_POLICIES,
    plans: { ...named(2_000, {}), gold: { unknown: {} } },
    overrides: Array.from({ length: 900 }, (_, i) => ({
      identity: `x-a:${i}`,
      plan: `gold${i}`,
    })),
  });
  expect(faults).toHaveLength(901);
  expect(Math.max(...faults.map(({ remedy }) => remedy.length))).toBeLessThan(400);
  const ofPlan = faults.find(({ path }) => path.startsWith("overrides"));
  expect(ofPlan!.remedy).toContain("n29 and 1971 more");
});

test.each(FAULTY)("%j has a fault at %s, and none at a variable", async (document, path) => {
  const { administered } = await startLiveGateway();
  const faults = administered.checkDocument(document);
  const paths = faults.map((fault) => fault.path);
  expect(paths).toContain(path);
  for (const each of paths) expect(each).not.toMatch(/^(?:RULES|PLANS|LISTS|OVERRIDES)\b/);
});

test("for any text in place of a document, the earlier rules stay in force", async () => {
  const gateway = await startLiveGateway();
  const sound = withPolicy({ limit: 1_000_000 });
  expect(gateway.administered.checkDocument(sound)).toEqual([]);
  await gateway.publish(sound);
  let left = 1_000_000;
  const texts = [...FAULTY.map(([document]) => JSON.stringify(document)), ...NO_DOCUMENTS];
  for (const [i, text] of texts.entries()) {
    await gateway.publish(text, i + 2);
    expect(await quotaOf(gateway, "ada"), text.slice(0, 80)).toBe(`1000000, ${--left} left`);
    expect(gateway.administered.enforced()).toMatchObject({ version: 1 });
    expect(gateway.administered.enforced().error).toContain(`version ${i + 2} of the live rules`);
  }
  await gateway.publish(withPolicy({ limit: 2_000_000 }), 200);
  expect(gateway.administered.enforced()).toMatchObject({ version: 200 });
  expect(gateway.administered.enforced().error).toBeUndefined();
});

test("rules that count by address need a setting for the trusted proxy", async () => {
  const { administered } = await startLiveGateway({ CLIENT_IP: undefined });
  const faults = administered.checkDocument(withRule({ partition: ["ip"] }));
  expect(faults.map(({ path }) => path)).toEqual(["CLIENT_IP"]);
});

test("an entry by address is refused where no client address is known, one by identity is not", async () => {
  const { administered } = await startLiveGateway({ CLIENT_IP: undefined });
  const pathsOf = (entry: object) => administered.checkEntry("deny", entry).map(({ path }) => path);
  expect(pathsOf({ cidr: "203.0.113.0/24" })).toEqual(["CLIENT_IP"]);
  expect(pathsOf({ identity: "x-user-id:eve" })).toEqual([]);
});
