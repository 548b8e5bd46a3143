import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { createLimiter, tokenBucket } from "../support/limiter/plain.ts";

test("a replica that refuses is reported by its own name, and not as the primary's token", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const options = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 };
  const primary = new Redis(inject("redisUrl"), options);
  onTestFinished(() => {
    warn.mockRestore();
    primary.disconnect();
  });
  for (const refusal of ["WRONGPASS no", "NOPERM this user has no permissions to run it"]) {
    const refuse = () => Promise.reject(new Error(refusal));
    const limiter = createLimiter({
      redis: fromIoredis(primary),
      replica: { evalsha: refuse, eval: refuse },
      policies: [tokenBucket({ name: "b", limit: 5, refill: 1, per: "1h" })],
      prefix: `t-${crypto.randomUUID()}`,
      timeout: "10s",
    });
    for (const user of ["a", "b"]) expect((await limiter.limit(user)).reason).toBe("allowed");
  }
  // A message is logged once.
  expect(warn.mock.calls).toEqual([
    [
      "tidegate: The replica gives no answer: it rejects its token, or its user may not run the script or read the keys. Redis decides without it until it does.",
    ],
  ]);
});
