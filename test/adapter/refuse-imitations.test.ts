import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";

import { rateLimit as honoLimit } from "../../src/hono.ts";
import { fixedWindow, header, lists, plans } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { rateLimit as vercelLimit } from "../../src/vercel.ts";
import { FRAMEWORKS, serve } from "../node-servers/apps.ts";

const hourly = (name: string, more = {}) =>
  fixedWindow({ name, limit: 100, window: "1h", ...more });

/** They read five fields by their names. */
const READING = {
  policies: [hourly("key"), hourly("tenant", { partition: [[header("x_tenant_id"), "ip"]] })],
  partition: [header("x-api-key"), header("authorization"), "ip"] as const,
  plans: plans({ gold: { key: { limit: 1000 } } }),
  plan: "header:X-Plan" as const,
  lists: lists({ deny: [{ identity: "x-user-id:42" }] }),
  clientIp: { trustedHops: 1 } as const,
};

const IMITATIONS = ["X_Api_Key", "x-api_key", "X.Api.Key", "X-Tenant-Id", "x_plan", "X_User_Id"];
const OTHERS = [
  "X-Api-Key",
  "X_Tenant_Id",
  "x-plan",
  "X-User-Id",
  "authorization_",
  "api_key",
  "x_y",
];

type Ask = (fields: Record<string, string>) => Promise<number>;

/** Every middleware, with these options, as a function that sends a request with these fields. */
const MIDDLEWARE: readonly (readonly [string, (options: object) => Promise<Ask>])[] = [
  ...FRAMEWORKS.map(
    ([name, create]) =>
      [
        name,
        async (options: object): Promise<Ask> => {
          const url = await serve(create, options as never);
          return async (headers) => (await fetch(url, { headers })).status;
        },
      ] as const,
  ),
  [
    "hono",
    async (options) => {
      const app = new Hono().use(honoLimit(options as never)).get("/", (c) => c.text("hello"));
      return async (headers) => (await app.request("/", { headers })).status;
    },
  ],
  [
    "vercel",
    async (options) => {
      const middleware = vercelLimit(options as never);
      return async (headers) =>
        (await middleware(new Request("https://shop.example/", { headers }))).status;
    },
  ],
];

/** Runs with a store, and resolves with the statuses and the number of decisions. */
async function statusesOf(
  open: (options: object) => Promise<Ask>,
  options: object,
  names: string[],
) {
  const store = openMemoryStore();
  const decide = vi.spyOn(store, "decide");
  const ask = await open({ ...options, store });
  const statuses = [];
  for (const name of names) {
    statuses.push(await ask({ [name]: "7", "x-forwarded-for": "192.0.2.1" }));
  }
  return { statuses, decisions: decide.mock.calls.length };
}

describe.for(MIDDLEWARE)("the middleware for %s", ([, open]) => {
  test("refuses a field that a server behind it may read as one that the limiter reads", async () => {
    // Beside the right one, it could be another key than the one that is counted.
    const both = (options: object) =>
      open(options).then(
        (ask): Ask =>
          (fields) =>
            ask({ ...fields, "X-Api-Key": "k" }),
      );
    for (const each of [open, both]) {
      expect(await statusesOf(each, READING, IMITATIONS)).toEqual({
        statuses: IMITATIONS.map(() => 400),
        decisions: 0,
      });
    }
  });

  test("lets every other field pass", async () => {
    const { statuses } = await statusesOf(open, READING, OTHERS);
    expect(statuses).toEqual(OTHERS.map(() => 200));
    const readsNone = { policies: [hourly("all")], clientIp: { trustedHops: 1 } };
    const others = await statusesOf(open, readsNone, IMITATIONS);
    expect(others.statuses).toEqual(IMITATIONS.map(() => 200));
  });
});
