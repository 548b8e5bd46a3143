import { expect, test } from "vitest";

import { fixedWindow, lists } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { rateLimit } from "../../src/vercel.ts";

test("rateLimit() of tidegate/vercel looks into its lists by what Vercel says about the client", async () => {
  const middleware = rateLimit({
    store: openMemoryStore(),
    policies: [fixedWindow({ name: "hourly", limit: 1, window: "30d" })],
    lists: lists({
      allow: [{ cidr: "192.0.2.1" }],
      deny: [{ cidr: "2001:db8::/32" }, { asn: 64496 }, { country: "KP" }],
    }),
  });
  const ask = async (headers: Record<string, string>) =>
    middleware(new Request("https://shop.example/api/x", { headers }));
  for (let request = 0; request < 3; request++) {
    const exempt = await ask({ "x-real-ip": "192.0.2.1", "x-vercel-ip-country": "KP" });
    expect(Object.fromEntries(exempt.headers)).toEqual({
      "x-middleware-next": "1",
      "x-ratelimit-reason": "exempt",
    });
  }
  for (const fields of [
    { "x-real-ip": "2001:db8::1" },
    { "x-vercel-ip-as-number": "64496" },
    { "x-vercel-ip-country": "KP" },
  ]) {
    const blocked = await ask(fields);
    expect([fields, blocked.status]).toEqual([fields, 403]);
    expect(blocked.headers.has("x-middleware-next")).toBe(false);
  }
  expect((await ask({ "x-real-ip": "2001:db9::1" })).headers.get("x-middleware-next")).toBe("1");
});
