import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";

import { listsSchema, rulesSchema } from "../../../scripts/build-schema/json-schema.ts";
import { withVariableBlocks } from "../../../scripts/build-schema/variable-blocks.ts";
import { compileLists } from "../../../src/features/lists/lists.ts";
import { Lists, Rules } from "../../../src/gateway/rules/schema.ts";
import { Faults } from "../../../src/options/faults.ts";

const policy = { algorithm: "fixed-window", name: "p", limit: 5, window: "1m" };
const rule = { path: "/a", policies: [policy] };
const withPolicy = (changes: object) => ({ policies: [{ ...policy, ...changes }] });
const bucket = { algorithm: "token-bucket", limit: 5, refill: 1, per: "1s" };
const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(rulesSchema()) as object);

describe("the schema of the rules, by itself and as JSON Schema", () => {
  test("takes the rules of wrangler.toml", () => {
    const { vars } = unstable_readConfig({ config: "wrangler.toml" });
    const rules = vars["RULES"] as unknown[];
    expect(rules.length).toBeGreaterThan(5);
    expect(Rules.safeParse(rules).error).toBeUndefined();
    expect([isValid(rules), isValid.errors]).toEqual([true, null]);
  });

  test.each<[what: string, changes: object]>([
    ["a minimal rule", {}],
    ["every field", { method: ["GET"], partition: ["header:x-api-key", "ip"], cost: 2 }],
    ["everybody", { partition: "*" }],
    [
      "every source",
      { partition: ["header:x-api-key", "cookie:a", "query:b.c", "path:id", "asn", "country"] },
    ],
    ["sources together", { partition: [["ip", "header:user-agent"], "subnet"] }],
    ["a share, and a jitter", { onFailure: { local: { share: 0.5 } }, retryJitter: 1 }],
    ["these of a policy", withPolicy({ advertise: false, onFailure: "local", retryJitter: 0 })],
    ["a lease", withPolicy({ lease: "100ms" })],
    ["a token bucket", { policies: [bucket] }],
    ["a number of segments", withPolicy({ algorithm: "segmented-window", segments: 3 })],
  ])("takes %s", (_what, changes) => {
    const good = [{ ...rule, ...changes }];
    expect(Rules.safeParse(good).error).toBeUndefined();
    expect(isValid(good)).toBe(true);
  });

  test.each<[what: string, changes: object]>([
    ["no path", { path: undefined }],
    ["no policies", { policies: undefined }],
    ["an empty list of policies", { policies: [] }],
    ["an unknown field", { limits: 5 }],
    ["a method in small letters", { method: "get" }],
    ["an unknown algorithm", withPolicy({ algorithm: "gcra" })],
    ["another algorithm's option", withPolicy({ refill: 1 })],
    ["a limit of 0", withPolicy({ limit: 0 })],
    [
      "a limit too large for a log",
      withPolicy({ algorithm: "sliding-window-log", limit: 100_001 }),
    ],
    ["a bucket without per", { policies: [{ ...bucket, per: undefined }] }],
    ["a time without unit", withPolicy({ window: "60" })],
    ["a name with a quote", withPolicy({ name: 'a"b' })],
    ["an unknown source", { partition: ["session:a"] }],
    ["an empty list of sources", { partition: [] }],
    ["an empty inner list of sources", { partition: ["ip", []] }],
    ["a list within an inner list", { partition: [["ip", ["subnet"]]] }],
    ["a source outside a list", { partition: "ip" }],
    ["everybody within a list", { partition: ["ip", "*"] }],
    ["a negative cost", { cost: -1 }],
    ["an unknown verdict", { onFailure: "shut" }],
    ["a share of nothing", { onFailure: { local: { share: 0 } } }],
    ["a share of more than all", { onFailure: { local: { share: 1.1 } } }],
    ["a share of another verdict", { onFailure: { open: { share: 0.5 } } }],
    ["a jitter above 1", { retryJitter: 1.1 }],
    ["a negative jitter", withPolicy({ retryJitter: -0.1 })],
    ["a lease without a unit", withPolicy({ lease: "100" })],
    ["an advertisement that is text", withPolicy({ advertise: "no" })],
    ["an unknown word for a missing identity", { onMissing: "drop" }],
  ])("refuses %s", (_what, changes) => {
    const bad = JSON.parse(JSON.stringify([{ ...rule, ...changes }])) as unknown;
    expect([Rules.safeParse(bad).success, isValid(bad)]).toEqual([false, false]);
  });
});

describe("the schema of the lists, by itself and as JSON Schema", () => {
  const isList = new Ajv2020({ strict: false }).compile(JSON.parse(listsSchema()) as object);

  /** The verdicts of the schema, of its JSON Schema, and of the compiler of lists. */
  function verdicts(lists: unknown): readonly boolean[] {
    const faults = new Faults();
    compileLists(lists, "lists", faults);
    return [Lists.safeParse(lists).success, isList(lists), faults.list.length === 0];
  }

  test.for<[what: string, lists: object]>([
    ["no list", {}],
    ["empty lists", { allow: [], deny: [] }],
    ["a range", { deny: [{ cidr: "2001:db8::/32" }] }],
    ["a network with an end", { deny: [{ asn: 64496, until: "2027-01-01T00:00:00+01:00" }] }],
    ["a country with an end in milliseconds", { allow: [{ country: "T1", until: 1e12 }] }],
    ["an identity", { allow: [{ identity: "x-user-id:42" }] }],
  ])("takes %s", ([, lists]) => {
    expect(verdicts(lists)).toEqual([true, true, true]);
  });

  test.for<[what: string, lists: unknown]>([
    ["a list instead of a table", []],
    ["a third list", { block: [] }],
    ["an entry that is a text", { deny: ["10.0.0.0/8"] }],
    ["an empty entry", { deny: [{}] }],
    ["an entry of two kinds", { deny: [{ asn: 1, country: "CH" }] }],
    ["an unknown field", { deny: [{ asn: 1, untill: 1e12 }] }],
    ["a network as text", { deny: [{ asn: "64496" }] }],
    ["a network that does not exist", { deny: [{ asn: 2 ** 32 }] }],
    ["a country in small letters", { deny: [{ country: "ch" }] }],
    ["an empty identity", { deny: [{ identity: "" }] }],
    ["an end without time zone", { deny: [{ asn: 1, until: "2027-01-01T00:00:00" }] }],
    ["an end in seconds", { deny: [{ asn: 1, until: 1_800_000_000 }] }],
  ])("refuses %s", ([, lists]) => {
    expect(verdicts(lists)).toEqual([false, false, false]);
  });

  test("refuses values that only code can check", () => {
    for (const entry of [{ cidr: "10.0.0.1/8" }, { asn: 1, until: "2027-02-30T00:00:00Z" }]) {
      expect(verdicts({ deny: [entry] })).toEqual([false, true, false]);
    }
  });
});

describe("the files built from the schema", () => {
  test("is committed as it is now", () => {
    expect(readFileSync("docs/rules.schema.json", "utf8")).toBe(rulesSchema());
    expect(readFileSync("docs/lists.schema.json", "utf8")).toBe(listsSchema());
    const options = readFileSync("docs/options.md", "utf8");
    expect(options).toBe(withVariableBlocks(options));
  });

  test("has a block for each variable, with values and default", () => {
    const blocks = withVariableBlocks("<!-- gateway variables --><!-- end gateway variables -->");
    for (const block of [
      /^#### `STORE`\n\n`"redis"`, `"durable-object"`, `"memory"` · default `"redis"`\n/m,
      /^#### `LISTS`\n\ntable\n/m,
      /^#### `CLIENT_IP`\n\n.*`\{ trustedHops \}`, 1 to 32\n/m,
      /^#### `ON_FAILURE`\n\n.*`\{ local = \{ share \} \}`, above 0 to 1 · default/m,
    ]) {
      expect(blocks).toMatch(block);
    }
  });

  test("needs a place in the text", () => {
    expect(() => withVariableBlocks("# Options\n")).toThrow("gateway variables");
  });
});
