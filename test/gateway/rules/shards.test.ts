import { expect, test } from "vitest";

import { type Origin, startOrigin } from "../../../scripts/local-stack/origin.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";

const gatewayOf = (origin: string, shards: unknown, cost = 1) =>
  createGateway({
    ORIGIN: origin,
    STORE: "memory",
    RULES: [
      {
        path: "/*",
        partition: "*",
        cost,
        policies: [{ algorithm: "fixed-window", name: "all", limit: 10, window: "1d", shards }],
      },
    ],
  } as never);

test("a rule's policy with shards admits its limit, and tells clients of all of it", async () => {
  const origin: Origin = await startOrigin();
  try {
    const gateway = gatewayOf(origin.url, 3);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const response = await gateway.request("/");
      statuses.push(response.status);
      expect(response.headers.get("RateLimit-Policy")).toBe('"all";q=10;w=86400');
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  } finally {
    await origin.stop();
  }
});

test.for([
  [1, 1, "RULES[0].policies[0].shards", /whole number from 2 to 64/],
  [11, 1, "RULES[0].policies[0].shards", /Give at most 10/],
  [3, 4, "RULES[0].cost", /one of its shards/],
] as const)("%j shards and a cost of %j are a fault", ([shards, cost, path, remedy]) => {
  expect(() => gatewayOf("https://origin.example.com", shards, cost)).toThrow(
    expect.objectContaining({
      faults: [
        expect.objectContaining({
          path,
          code: expect.any(String),
          remedy: expect.stringMatching(remedy),
        }),
      ],
    }),
  );
});
