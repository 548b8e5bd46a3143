import { afterEach, expect, test, vi } from "vitest";

import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { Faults } from "../../src/options/faults.ts";
import { hintAmong } from "../../src/options/unknown-options.ts";
import { quota } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, liveVariables } from "../support/live/live-gateway.ts";

/* What the check of a document costs is counted in steps: a holder of the READ_TOKEN chooses the document. */

afterEach(() => void vi.restoreAllMocks());

const READ_TOKEN = "Lw2Zt7RbY5sDfXk3v9Qp";

interface Checked {
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly { path: string; code: string; remedy: string }[];
}

/** Checks a document by a dry run over a gateway of its own. */
async function check(document: object | string, token = ADMIN_TOKEN): Promise<Checked> {
  const variables = { ...liveVariables("http://127.0.0.1:1", crypto.randomUUID()), READ_TOKEN };
  const gateway = createGateway(variables, { admin });
  const answer = await gateway.request("/_tidegate/api/v1/rules?dry-run", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: typeof document === "string" ? document : JSON.stringify(document),
  });
  const body = (await answer.json()) as Omit<Checked, "status">;
  return { ...body, status: answer.status };
}

const list = <Item>(length: number, item: (i: number) => Item): Item[] =>
  Array.from({ length }, (_, i) => item(i));
const table = <Item>(length: number, name: (i: number) => string, item: (i: number) => Item) =>
  Object.fromEntries(list(length, (i) => [name(i), item(i)]));

test("READ_TOKEN checks documents of up to 250,000 bytes, ADMIN_TOKEN longer ones", async () => {
  const document = { rules: [{ path: "/a", policies: [quota("a", 5)] }] };
  const padded = (bytes: number) => JSON.stringify(document).padEnd(bytes);
  expect((await check(padded(250_000), READ_TOKEN)).status).toBe(200);
  expect(await check(padded(250_001), READ_TOKEN)).toMatchObject({
    status: 413,
    detail:
      "Send at most 250000 bytes. A longer document needs the ADMIN_TOKEN; `tidegate rules check` checks it without a gateway.",
  });
  expect((await check(padded(250_001))).status).toBe(200);
});

test("a name is compared with the names of the document for the first faults only", () => {
  let compared = 0;
  const names = new Proxy(
    list(1_000, (i) => `plan-${i}`),
    {
      get(target, property) {
        if (/^\d+$/.test(String(property))) compared++;
        return Reflect.get(target, property) as unknown;
      },
    },
  );
  const faults = new Faults();
  for (let i = 0; i < 10_000; i++) {
    hintAmong(names, "something else", faults);
    faults.put({ path: "overrides", code: "unknown-name", value: "1", remedy: "" });
  }
  expect(compared).toBe(30_000);
});

test.each([
  [
    "overrides with plans that do not exist",
    {
      rules: [{ path: "/a", partition: ["header:x-user-id"], policies: [quota("a", 5)] }],
      plans: table(
        1_000,
        (i) => `a-plan-of-number-${i}`,
        () => ({}),
      ),
      overrides: list(5_000, (i) => ({
        identity: `x-user-id:${i}`,
        plan: `a-plan-of-numbex-${i}`,
      })),
    },
  ],
  [
    "plans with policies that do not exist",
    {
      rules: list(100, (i) => ({ path: `/${i}`, policies: [quota(`policy-${i}`, 5)] })),
      plans: table(
        3_000,
        (i) => `plan-${i}`,
        () =>
          table(
            3,
            (i) => `policx-${i}`,
            () => ({}),
          ),
      ),
    },
  ],
  [
    "policies without anything",
    { rules: list(1_000, (i) => ({ path: `/${i}`, policies: list(16, () => ({})) })) },
  ],
  [
    "costs of policies that do not exist",
    {
      rules: [
        {
          path: "/a",
          policies: [quota("a", 5)],
          cost: table(
            40_000,
            (i) => `b${i}`,
            () => 1,
          ),
        },
      ],
    },
  ],
])("of %s the first thousand faults are told", async (_, document) => {
  const { status, detail, errors } = await check(document);
  expect([status, detail, errors.length]).toEqual([
    422,
    "The body has at least 1000 faults.",
    1_000,
  ]);
  expect(
    errors.filter(({ remedy }) => remedy.startsWith("Did you mean")).length,
  ).toBeLessThanOrEqual(30);
});

test("lists in a rule are refused before what is in them is compiled", async () => {
  const rules = list(200, (i) => ({ path: `/${i}`, policies: list(1_000, () => ({})) }));
  const { status, errors } = await check({ rules });
  expect([status, errors.length, errors[0]]).toEqual([
    422,
    200,
    expect.objectContaining({ path: "rules[0].policies", code: "shape", value: "1000" }),
  ]);
});

test("a text is no list of its characters", async () => {
  const visited = vi.spyOn(Object, "values");
  const path = `/${"a*b/".repeat(450)}*`;
  const rules = list(450, (i) => ({
    path: path.replace("a", `${i}`),
    policies: [quota(`a${i}`, 5)],
  }));
  expect((await check({ rules })).status).toBe(200);
  // A rule, its list of policies, and a policy; some more for what is compiled.
  expect(visited.mock.calls.length).toBeLessThan(450 * 12);
});
