import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";

import { listsSchema, rulesSchema } from "../../../scripts/build-schema/json-schema.ts";
import { withVariablesTable } from "../../../scripts/build-schema/variables-table.ts";
import { Lists, Rules } from "../../../src/gateway/rules/schema.ts";
import { compileLists } from "../../../src/lists/lists.ts";
import { Faults } from "../../../src/options/faults.ts";

const policy = { algorithm: "fixed-window", name: "p", limit: 5, window: "1m" };
const rule = { path: "/a", policies: [policy] };
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

  test.for<[what: string, rule: object]>([
    ["a minimal rule", rule],
    ["every field", { ...rule, method: ["GET"], partition: ["header:x-api-key", "ip"], cost: 2 }],
    ["everybody", { ...rule, partition: "*" }],
    [
      "every source",
      {
        ...rule,
        partition: ["header:x-api-key", "cookie:a", "query:b.c", "path:id", "asn", "country"],
      },
    ],
    ["sources together", { ...rule, partition: [["ip", "header:user-agent"], "subnet"] }],
    [
      "a verdict with a share, a jitter, and a policy that is not advertised",
      {
        ...rule,
        onFailure: { local: { share: 0.5 } },
        retryJitter: 1,
        policies: [{ ...policy, advertise: false, onFailure: "local", retryJitter: 0 }],
      },
    ],
    ["a lease", { ...rule, policies: [{ ...policy, lease: "100ms" }] }],
    ["a token bucket", { ...rule, policies: [bucket] }],
    [
      "a number of segments",
      { ...rule, policies: [{ ...policy, algorithm: "segmented-window", segments: 3 }] },
    ],
  ])("takes %s", ([, good]) => {
    expect(Rules.safeParse([good]).error).toBeUndefined();
    expect(isValid([good])).toBe(true);
  });

  test.for<[what: string, rule: object]>([
    ["no path", { policies: [policy] }],
    ["no policies", { path: "/a" }],
    ["an empty list of policies", { ...rule, policies: [] }],
    ["an unknown field", { ...rule, limits: 5 }],
    ["a method in small letters", { ...rule, method: "get" }],
    ["an unknown algorithm", { ...rule, policies: [{ ...policy, algorithm: "gcra" }] }],
    ["another algorithm's option", { ...rule, policies: [{ ...policy, refill: 1 }] }],
    ["a limit of 0", { ...rule, policies: [{ ...policy, limit: 0 }] }],
    [
      "a limit that is too large for a log",
      { ...rule, policies: [{ ...policy, algorithm: "sliding-window-log", limit: 100_001 }] },
    ],
    ["a bucket without per", { ...rule, policies: [{ ...bucket, per: undefined }] }],
    ["a time without unit", { ...rule, policies: [{ ...policy, window: "60" }] }],
    ["a name with a quote", { ...rule, policies: [{ ...policy, name: 'a"b' }] }],
    ["an unknown source", { ...rule, partition: ["session:a"] }],
    ["an empty list of sources", { ...rule, partition: [] }],
    ["an empty inner list of sources", { ...rule, partition: ["ip", []] }],
    ["a list within an inner list", { ...rule, partition: [["ip", ["subnet"]]] }],
    ["a source outside a list", { ...rule, partition: "ip" }],
    ["everybody within a list", { ...rule, partition: ["ip", "*"] }],
    ["a negative cost", { ...rule, cost: -1 }],
    ["an unknown verdict", { ...rule, onFailure: "shut" }],
    ["a share of nothing", { ...rule, onFailure: { local: { share: 0 } } }],
    ["a share of more than all", { ...rule, onFailure: { local: { share: 1.1 } } }],
    ["a share of another verdict", { ...rule, onFailure: { open: { share: 0.5 } } }],
    ["a jitter above 1", { ...rule, retryJitter: 1.1 }],
    ["a negative jitter", { ...rule, policies: [{ ...policy, retryJitter: -0.1 }] }],
    ["a lease without a unit", { ...rule, policies: [{ ...policy, lease: "100" }] }],
    ["an advertisement that is text", { ...rule, policies: [{ ...policy, advertise: "no" }] }],
    ["an unknown word for a missing identity", { ...rule, onMissing: "drop" }],
  ])("refuses %s", ([, bad]) => {
    const given = JSON.parse(JSON.stringify([bad])) as unknown;
    expect(Rules.safeParse(given).success).toBe(false);
    expect(isValid(given)).toBe(false);
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
    expect(options).toBe(withVariablesTable(options));
  });

  test("has a row for each variable, with values and default", () => {
    const table = withVariablesTable("<!-- gateway variables --><!-- end gateway variables -->");
    expect(table).toMatch(
      /\| `STORE` +\| `"redis"`, `"durable-object"`, `"memory"` +\| `"redis"` +\|/,
    );
    expect(table).toMatch(/\| `LISTS` +\| table +\|/);
    expect(table).toMatch(/\| `CLIENT_IP` +\| .*`\{ trustedHops \}`, 1 to 32 +\|/);
    expect(table).toMatch(/\| `ON_FAILURE` +\| .*`\{ local = \{ share \} \}`, above 0 to 1 +\|/);
  });

  test("needs a place in the text", () => {
    expect(() => withVariablesTable("# Options\n")).toThrow("gateway variables");
  });
});
