import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";

test("the gateway in workerd looks into its lists by what Cloudflare says about the client", async () => {
  const gateway = createGateway({
    // The Redis bridge, which answers 401 without a token.
    ORIGIN: env["UPSTASH_REDIS_REST_URL"],
    STORE: "memory",
    RULES: [
      {
        path: "/*",
        policies: [{ algorithm: "fixed-window", name: "all", limit: 1, window: "30d" }],
      },
    ],
    LISTS: {
      allow: [{ cidr: "2001:db8::/32" }],
      deny: [{ asn: 64496 }, { country: "KP" }, { cidr: "198.51.100.0/24" }],
    },
  });
  const ask = async (address: string, asn: number, country: string) => {
    const { status, headers } = await gateway.fetch(
      new Request("https://gateway.example/a", {
        headers: { "cf-connecting-ip": address },
        cf: { asn, country },
      } as RequestInit),
    );
    return [status, headers.get("X-RateLimit-Reason")];
  };
  expect(await ask("192.0.2.1", 64496, "CH")).toEqual([403, "blocked"]);
  expect(await ask("192.0.2.1", 1, "KP")).toEqual([403, "blocked"]);
  expect(await ask("198.51.100.7", 1, "CH")).toEqual([403, "blocked"]);
  expect(await ask("2001:db8::1", 64496, "KP")).toEqual([401, "exempt"]);
  expect(await ask("192.0.2.1", 1, "CH")).toEqual([401, null]);
});
