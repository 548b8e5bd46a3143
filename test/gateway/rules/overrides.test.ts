import { expect, test, vi } from "vitest";

import { headerIdentities } from "../../../src/features/lists/header-identities.ts";
import { compileLists } from "../../../src/features/lists/lists.ts";
import { readClient } from "../../../src/gateway/route/read-client.ts";
import { compileOverrides } from "../../../src/gateway/rules/overrides.ts";
import { Faults } from "../../../src/options/faults.ts";

function compile(identities: readonly string[], faults = new Faults()) {
  const list = identities.map((identity) => ({ identity, plan: "gold" }));
  const overrides = compileOverrides(
    list,
    { plans: { gold: {} }, room: 10, numbered: undefined },
    "OVERRIDES",
    faults,
  );
  faults.throwIfAny();
  return overrides;
}

const DIGEST = `x-user-id:${"k".repeat(43)}`;

const MANY = Array.from({ length: 1_000 }, (_, i) => `x-header-${i}:42`);

test("an override is found by the identity that counts a request, however many headers the others name", () => {
  const { find } = compile([...MANY, "x-user-id:42"]);
  let looks = 0;
  const identities = new Proxy(
    { a: "ip:192.0.2.1", b: "ip:192.0.2.1,x-user-id:digest" },
    {
      ownKeys(target) {
        looks++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const headers = new Headers({ "x-user-id": "42", "x-header-7": "42" });
  expect(find(headers, identities, 0)?.identity).toBe("x-user-id:42");
  expect(looks).toBe(1);
});

test("of the headers that a request is counted by, the one that the overrides name first decides", () => {
  const identities = { a: "x-b:digest", b: "x-c:digest,x-a:digest" };
  const headers = new Headers({ "x-a": "1", "x-b": "1", "x-c": "1" });
  const found = (...given: string[]) => compile(given).find(headers, identities, 0)?.identity;
  expect(found("x-a:1", "x-b:1", "x-c:1")).toBe("x-a:1");
  expect(found("x-c:1", "x-b:1", "x-a:1")).toBe("x-c:1");
  // An exact one comes before a pattern, for any header.
  expect(found("x-c:1*", "x-b:1", "x-a:2")).toBe("x-b:1");
});

const ENDED = 1_000;

test.each([
  ["exact", [{ identity: "x-user-id:42", until: ENDED }, { identity: "x-user-id:4*" }]],
  [
    "of a long pattern",
    [{ identity: "x-user-id:42*", until: ENDED }, { identity: "x-user-id:4*" }],
  ],
  ["of a digest", [{ digest: DIGEST, until: ENDED }, { identity: "x-user-id:42" }]],
])("an override that has ended leaves the client to the next that covers it: %s", (_, given) => {
  const list = given.map(({ until, ...names }) => ({
    ...names,
    plan: until === undefined ? "second" : "first",
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  }));
  const faults = new Faults();
  for (const each of [list, list.toReversed()]) {
    const { find } = compileOverrides(
      each,
      { plans: { first: {}, second: {} }, room: 10, numbered: undefined },
      "OVERRIDES",
      faults,
    );
    faults.throwIfAny();
    const headers = new Headers({ "x-user-id": "42" });
    const planAt = (nowMs: number) =>
      find(headers, { a: "x-user-id:digest" }, nowMs, [DIGEST])?.plan;
    expect([planAt(ENDED - 1), planAt(ENDED), planAt(ENDED + 1)]).toEqual([
      "first",
      "second",
      "second",
    ]);
  }
});

test("of a plan by a header and an override of the same client the override wins, and of two plans the first rule's", async () => {
  const ruleOf = (plan?: string) => ({
    reader: {
      read: async () => ({ kind: "client", identities: { user: "x-user-id:digest" }, plan }),
    },
    settings: { policies: [] },
  });
  const { find } = compile(["x-user-id:42"]);
  const overrides = { find, hasDigests: false, tables: new Map() };
  const planOf = async (user: string, ...rules: ReturnType<typeof ruleOf>[]) => {
    const request = new Request("https://example.com/", { headers: { "x-user-id": user } });
    const ruleset = { overrides, refused: new Map() };
    const client = await readClient(ruleset, rules as never, request, { request } as never);
    return "plan" in client ? client.plan : client.kind;
  };
  expect(await planOf("42", ruleOf("silver"))).toBe("gold");
  expect(await planOf("43", ruleOf("silver"))).toBe("silver");
  expect(await planOf("43", ruleOf(), ruleOf("silver"), ruleOf("bronze"))).toBe("silver");
});

test.each([
  [10_000, "", ["OVERRIDES[10000]", "OVERRIDES[10001]"]],
  [1_000, "*", ["OVERRIDES[1000]", "OVERRIDES[1001]"]],
])("of more than %d names that end in %j, each that is too many is a fault", (most, end, paths) => {
  const faults = new Faults();
  const names = Array.from({ length: most + 2 }, (_, i) => `x-user-id:${i}${end}`);
  expect(compile(names.slice(0, most)).find(new Headers(), {}, 0)).toBeUndefined();
  expect(() => compile(names, faults)).toThrow();
  expect(faults.list.map(({ path }) => path)).toEqual(paths);
});

test.each([
  [{ gold: {}, team: {} }, "Did you mean `gold`? Use one of the plans: gold, team"],
  [{}, "Add it to the plans"],
])("an unknown plan beside %j: %s", (plans, remedy) => {
  const faults = new Faults();
  const list = [{ identity: "x-user-id:42", plan: "golf" }];
  compileOverrides(list, { plans, room: 10, numbered: undefined }, "OVERRIDES", faults);
  const others = ", or give policies with the numbers that differ.";
  expect(faults.list).toMatchObject([{ path: "OVERRIDES[0].plan", remedy: remedy + others }]);
});

const UNTIL_MS = Date.UTC(2030, 0, 1);
test.each([{ identity: "x-user-id:42" }, { identity: "x-user-id:4*" }, { digest: DIGEST }])(
  "an override of %o is in force until its moment, and not a moment longer",
  (client) => {
    const faults = new Faults();
    const terms = { plans: { gold: {} }, room: 10, numbered: undefined };
    const list = [{ ...client, plan: "gold", until: UNTIL_MS }];
    const { find } = compileOverrides(list, terms, "OVERRIDES", faults);
    faults.throwIfAny();
    const headers = new Headers({ "x-user-id": "42" });
    const planAt = (ms: number) => find(headers, { a: "x-user-id:digest" }, ms, [DIGEST])?.plan;
    expect([UNTIL_MS - 1, UNTIL_MS].map(planAt)).toEqual(["gold", undefined]);
  },
);

test("a request is asked for the header fields that it has, however many the lists name", () => {
  const identities = [...MANY, "x-user-id:42"];
  const lists = compileLists(
    { deny: identities.map((identity) => ({ identity })) },
    "LISTS",
    new Faults(),
  )!;
  const headers = new Headers({ "X-User-Id": " 42 ", "x-header-7": "42", accept: "*/*" });
  const get = vi.spyOn(headers, "get");
  expect(headerIdentities(lists)(headers)).toEqual(["x-header-7:42", "x-user-id:42"]);
  expect(get).not.toHaveBeenCalled();
});
