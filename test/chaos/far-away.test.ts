import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { delay } from "../support/fault-proxy.ts";
import { startOwnStore, TOKEN } from "./own-store.ts";
import { workerSubject } from "./worker-subject.ts";

test("a worker that starts 140 ms away from its Redis is exact within seconds", async () => {
  const store = await startOwnStore();
  store.proxy.fault = delay(140);
  const subject = await workerSubject({ url: store.proxy.url, token: TOKEN, timeout: "250ms" });
  try {
    const started = performance.now();
    let reason = "";
    while (reason !== "allowed" && performance.now() - started < 10_000) {
      ({ reason } = await subject.ask("closed", crypto.randomUUID()));
      await sleep(50);
    }
    expect(reason).toBe("allowed");
  } finally {
    await subject.stop();
    await store.stop();
  }
});
