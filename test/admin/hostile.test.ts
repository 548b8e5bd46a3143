import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";

import { answerAdmin } from "../../src/admin/admin.ts";
import { quota } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, DEPLOYED } from "../support/live/live-gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { runs } from "../support/runs.ts";

afterEach(() => void vi.restoreAllMocks());

const policy = fc.record(
  {
    algorithm: fc.constantFrom("fixed-window", "token-bucket", "concurrency", "none", 1),
    name: fc.oneof(fc.string(), fc.constantFrom("api", "a", "__proto__", "constructor")),
    limit: fc.oneof(fc.integer(), fc.constantFrom(5, 1e20, null, "5")),
    window: fc.constantFrom("1m", "1d", "0s", 60),
  },
  { requiredKeys: [] },
);
const rule = fc.record(
  {
    path: fc.oneof(fc.string(), fc.constantFrom("/api/*", "/**", "/a/:b")),
    policies: fc.oneof(fc.array(policy, { maxLength: 3 }), fc.jsonValue()),
    partition: fc.oneof(fc.jsonValue(), fc.constantFrom(["header:x-user-id"], "*")),
  },
  { requiredKeys: [] },
);
const sound = [{ path: "/api/*", partition: ["header:x-user-id"], policies: [quota("api", 5)] }];
const entry = fc.oneof(
  fc.constantFrom(
    { cidr: "203.0.113.0/24" },
    { identity: "x-user-id:42" },
    { identity: "x-user-id:4*", plan: "gold" },
    { identity: "x-user-id:42", policies: { api: { limit: 7 } }, for: "1h" },
  ),
  fc.jsonValue(),
  fc.record(
    {
      cidr: fc.constantFrom("203.0.113.0/24", "::/0", "x", null),
      identity: fc.oneof(
        fc.string(),
        fc.constantFrom("x-user-id:42", "x-user-id:*", "__proto__:1"),
      ),
      plan: fc.constantFrom("gold", "__proto__", "constructor", 1),
      policies: fc.jsonValue(),
      asn: fc.oneof(fc.integer(), fc.constant(64_496)),
      country: fc.constantFrom("CH", "", "T1", 7),
      until: fc.oneof(fc.jsonValue(), fc.constant("2199-01-01T00:00:00Z")),
      for: fc.oneof(fc.jsonValue(), fc.constantFrom("1h", "0s", "1e9d")),
    },
    { requiredKeys: [] },
  ),
);
const document = fc.oneof(
  fc.jsonValue(),
  fc.record(
    { rules: fc.constant(sound), overrides: fc.array(entry), plans: fc.constant({ gold: {} }) },
    { requiredKeys: ["rules"] },
  ),
  fc.record(
    {
      rules: fc.oneof(
        { arbitrary: fc.constant(sound), weight: 5 },
        fc.array(rule, { maxLength: 3 }),
        fc.jsonValue(),
      ),
      plans: fc.jsonValue(),
      overrides: fc.oneof(fc.array(entry, { maxLength: 3 }), fc.jsonValue()),
      lists: fc.oneof(
        fc.record(
          {
            allow: fc.array(entry, { maxLength: 3 }),
            deny: fc.oneof(fc.array(entry), fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
        fc.jsonValue(),
      ),
      version: fc.jsonValue(),
      $schema: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
const described = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      method: fc.oneof(fc.string(), fc.constantFrom("GET", "POST", "CONNECT")),
      path: fc.oneof(
        fc.webPath(),
        fc.string().map((text) => `/${text}`),
        fc.constantFrom(
          "/api/rides",
          "//host/a",
          "/%2e%2e/a",
          "/_tidegate/health",
          "/api/\\..\\x",
          "/api/a?x=%zz",
        ),
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
const replayed = fc.record(
  {
    policy: fc.oneof(fc.constant("api"), fc.jsonValue()),
    numbers: fc.oneof(fc.dictionary(name, value), fc.jsonValue()),
    minutes: fc.oneof(fc.integer({ max: 70 }), fc.jsonValue()),
    partition: value,
  },
  { requiredKeys: ["policy", "numbers"] },
);
const whose = fc.oneof(
  fc.record({ request: described }),
  fc.record({ request: fc.dictionary(name, value) }),
  fc.record({
    request: fc.record({ path: fc.constant("/a"), headers: fc.dictionary(name, value) }),
  }),
  fc.record({ name: fc.oneof(fc.string(), fc.constant("x-user-id:42")) }),
  fc.record({ number: fc.oneof(fc.string(), fc.constant("1z")) }),
  fc.jsonValue(),
);

const asked = fc.oneof(
  fc.tuple(fc.constant("POST /what-if"), fc.oneof(replayed, fc.jsonValue())),
  fc.tuple(fc.constant("POST /partitions/history"), whose),
  fc.tuple(fc.constantFrom("PUT /rules?dry-run", "PUT /rules", "PUT /rules/draft"), document),
  fc.tuple(
    fc.constantFrom(
      "PUT /lists/deny",
      "PUT /lists/allow",
      "PUT /overrides",
      "DELETE /lists/deny",
      "DELETE /overrides",
    ),
    entry,
  ),
  fc.tuple(fc.constantFrom("POST /explain", "POST /identities/reset"), described),
  fc.tuple(fc.constantFrom("POST /rules/publish", "POST /rules/rollback"), fc.jsonValue()),
);

function asking({ administered }: MeteredGateway) {
  const answer = answerAdmin(administered);
  return async (what: string, body: unknown) => {
    const [method, path] = what.split(" ") as [string, string];
    const request = new Request(`http://gateway.example/_tidegate/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
        "if-match": '"0"',
      },
      body: JSON.stringify(body),
    });
    const { status } = await answer(request, {});
    return status;
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
      expect([what, status]).toEqual([
        what,
        expect.toBeOneOf([200, 204, 400, 404, 409, 412, 413, 422]),
      ]);
    }),
    { numRuns: runs(2_000) },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 422]));
  await gateway.administered.refresh();
  expect(gateway.administered.enforced().error).toBeUndefined();
  expect((await gateway.ask("/other")).status).toBe(200);
  for (const [line] of logged.mock.calls) expect(line).not.toContain(ADMIN_TOKEN);
});
