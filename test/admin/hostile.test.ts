import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";

import { answerAdmin } from "../../src/admin/admin.ts";
import { quota } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, DEPLOYED } from "../support/live/live-gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { runs } from "../support/runs.ts";
import { requestOf } from "./ask.ts";

afterEach(() => void vi.restoreAllMocks());

/** A table with some of these fields. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] });
const few = (of: fc.Arbitrary<unknown>) => fc.oneof(fc.array(of, { maxLength: 3 }), fc.jsonValue());

const policy = some({
  algorithm: fc.constantFrom("fixed-window", "token-bucket", "concurrency", "none", 1),
  name: fc.oneof(fc.string(), fc.constantFrom("api", "a", "__proto__", "constructor")),
  limit: fc.oneof(fc.integer(), fc.constantFrom(5, 1e20, null, "5")),
  window: fc.constantFrom("1m", "1d", "0s", 60),
});
const rule = some({
  path: fc.oneof(fc.string(), fc.constantFrom("/api/*", "/**", "/a/:b")),
  policies: few(policy),
  partition: fc.oneof(fc.jsonValue(), fc.constantFrom(["header:x-user-id"], "*")),
});
const entry = fc.oneof(
  fc.constantFrom(
    { cidr: "203.0.113.0/24" },
    { identity: "x-user-id:42" },
    { identity: "x-user-id:4*", plan: "gold" },
    { identity: "x-user-id:42", policies: { api: { limit: 7 } }, for: "1h" },
  ),
  fc.jsonValue(),
  some({
    cidr: fc.constantFrom("203.0.113.0/24", "::/0", "x", null),
    identity: fc.oneof(fc.string(), fc.constantFrom("x-user-id:42", "x-user-id:*", "__proto__:1")),
    plan: fc.constantFrom("gold", "__proto__", "constructor", 1),
    policies: fc.jsonValue(),
    asn: fc.oneof(fc.integer(), fc.constant(64_496)),
    country: fc.constantFrom("CH", "", "T1", 7),
    until: fc.oneof(fc.jsonValue(), fc.constant("2199-01-01T00:00:00Z")),
    for: fc.oneof(fc.jsonValue(), fc.constantFrom("1h", "0s", "1e9d")),
  }),
);
const sound = fc.constant([
  { path: "/api/*", partition: ["header:x-user-id"], policies: [quota("api", 5)] },
]);
const document = fc.oneof(
  fc.jsonValue(),
  fc.record(
    { rules: sound, overrides: fc.array(entry), plans: fc.constant({ gold: {} }) },
    { requiredKeys: ["rules"] },
  ),
  some({
    rules: fc.oneof({ arbitrary: sound, weight: 5 }, few(rule)),
    plans: fc.jsonValue(),
    overrides: few(entry),
    lists: fc.oneof(some({ allow: few(entry), deny: few(entry) }), fc.jsonValue()),
    version: fc.jsonValue(),
    $schema: fc.jsonValue(),
  }),
);
const PATHS = [
  "/api/rides",
  "//host/a",
  "/%2e%2e/a",
  "/_tidegate/health",
  "/api/\\..\\x",
  "/api/a?x=%zz",
];
const described = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      method: fc.oneof(fc.string(), fc.constantFrom("GET", "POST", "CONNECT")),
      path: fc.oneof(
        fc.webPath(),
        fc.string().map((text) => `/${text}`),
        fc.constantFrom(...PATHS),
      ),
      headers: fc.dictionary(fc.string(), fc.string({ unit: "binary" })),
      ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
      asn: fc.integer(),
      country: fc.string(),
    },
    { requiredKeys: ["path"] },
  ),
);

/** Names that mean something in rules must mean nothing here. */
const name = fc.constantFrom("partition", "cost", "plan", "limit", "window", "__proto__", "x");
const value = fc.oneof(fc.constantFrom(5, "1m", "*"), fc.jsonValue({ maxDepth: 2 }));
const fields = fc.dictionary(name, value);
const whose = fc.oneof(
  fc.record({ request: described }),
  fc.record({ request: fields }),
  fc.record({ request: fc.record({ path: fc.constant("/a"), headers: fields }) }),
  fc.record({ name: fc.oneof(fc.string(), fc.constant("x-user-id:42")) }),
  fc.jsonValue(),
);

const LISTS = [
  "PUT /lists/deny",
  "PUT /lists/allow",
  "PUT /overrides",
  "DELETE /lists/deny",
  "DELETE /overrides",
];
const asked = fc.oneof(
  fc.tuple(fc.constant("POST /partitions/history"), whose),
  fc.tuple(fc.constantFrom("PUT /rules?dry-run", "PUT /rules", "PUT /rules/draft"), document),
  fc.tuple(fc.constantFrom(...LISTS), entry),
  fc.tuple(fc.constantFrom("POST /explain", "POST /identities/reset"), described),
  fc.tuple(fc.constantFrom("POST /rules/publish", "POST /rules/rollback"), fc.jsonValue()),
);

function asking({ administered }: MeteredGateway) {
  const answer = answerAdmin(administered);
  return async (what: string, body: unknown) => {
    const [method, path] = what.split(" ") as [string, string];
    const headers = { "if-match": '"0"' };
    const sent = { method, headers, body: JSON.stringify(body), token: ADMIN_TOKEN };
    return (await answer(requestOf(path, sent), undefined)).status;
  };
}

test("no body brings the administration or its gateway down", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  const gateways = await meteredGateways(DEPLOYED, { PLANS: { gold: { api: { limit: 9 } } } });
  const gateway = gateways.open();
  const ask = asking(gateway);
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(asked, async ([what, body]) => {
      const status = await ask(what, body);
      statuses.add(status);
      expect(status, what).toBeOneOf([200, 204, 400, 404, 409, 412, 413, 422]);
    }),
    { numRuns: runs(2_000) },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 422]));
  await gateway.administered.refresh();
  expect(gateway.administered.enforced().error).toBeUndefined();
  expect((await gateway.ask("/other")).status).toBe(200);
  for (const [line] of logged.mock.calls) expect(line).not.toContain(ADMIN_TOKEN);
});
