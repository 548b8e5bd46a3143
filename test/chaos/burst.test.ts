import { setTimeout as sleep } from "node:timers/promises";

import { expect, inject, test } from "vitest";

import { halfOpen, none, startFaultProxy } from "../support/fault-proxy.ts";
import { startStopwatch } from "./stopwatch.ts";
import { SUBJECTS } from "./subjects.ts";

const BURST = 60;

test.concurrent.for(SUBJECTS)(
  "$name: a burst at a store that hangs waits once, later ones send a probe",
  async ({ start }) => {
    const proxy = await startFaultProxy(inject("redisRestUrl"));
    const token = inject("redisRestToken");
    const subject = await start({ url: proxy.url, token, timeout: "250ms" });
    const burst = async () => {
      const before = proxy.received.length;
      const asking = Array.from({ length: BURST }, () => subject.ask("open", crypto.randomUUID()));
      const outcomes = await Promise.all(asking);
      const unavailable = outcomes.filter(({ reason }) => reason === "store-unavailable").length;
      // Open: no client is turned away, whether it waited or not.
      expect(outcomes.map(({ status }) => status)).toEqual(Array(BURST).fill(200));
      return {
        waited: proxy.received.length - before,
        unavailable,
      };
    };
    try {
      while ((await subject.ask("open", crypto.randomUUID())).reason !== "allowed")
        await sleep(100);

      proxy.fault = halfOpen;
      const first = await burst();
      expect(first.unavailable).toBe(BURST);
      const second = await burst();
      expect(second.unavailable).toBe(BURST);
      // One, if this machine took a second over it.
      expect(second.waited).toBeLessThanOrEqual(1);
      await sleep(1_100);
      const third = await burst();
      expect(third).toMatchObject({ waited: 1, unavailable: BURST });

      proxy.fault = none;
      const stop = startStopwatch();
      while ((await subject.ask("open", crypto.randomUUID())).reason !== "allowed") await sleep(5);
      expect(stop().ownMs).toBeLessThan(2_000);
    } finally {
      await subject.stop();
      await proxy.stop();
    }
  },
);
