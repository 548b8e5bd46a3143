import { inject, test } from "vitest";

import { none, startFaultProxy } from "../support/fault-proxy.ts";
import { some } from "../support/runs.ts";
import { FAULTS } from "./faults.ts";
import { timeoutFor, rideOut } from "./ride-out.ts";
import { SUBJECTS } from "./subjects.ts";

test.concurrent.for(some(FAULTS))(
  "on the way to Redis: $name",
  { timeout: 60_000 },
  async ({ fault, ...named }) => {
    await Promise.all(
      SUBJECTS.map(async ({ start }) => {
        const proxy = await startFaultProxy(inject("redisRestUrl"));
        const token = inject("redisRestToken");
        const subject = await start({ url: proxy.url, token, timeout: timeoutFor(named) });
        try {
          await rideOut(subject, proxy, {
            ...named,
            begin: () => (proxy.fault = fault),
            end: () => (proxy.fault = none),
          });
        } finally {
          await subject.stop();
          await proxy.stop();
        }
      }),
    );
  },
);
