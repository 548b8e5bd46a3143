import { expect, test, vi } from "vitest";

import { headerIdentities } from "../../../src/features/lists/header-identities.ts";
import { compileOverrides } from "../../../src/gateway/rules/overrides.ts";
import { compileLists } from "../../../src/lists/lists.ts";
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
const DIGEST = `x-user-id:${"k".repeat(43)}`;
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
