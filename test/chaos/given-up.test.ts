import { once } from "node:events";
import type { ServerResponse } from "node:http";

import { expect, inject, test } from "vitest";

import { startFaultProxy } from "../support/fault-proxy.ts";
import { SUBJECTS } from "./subjects.ts";

test.for(SUBJECTS)("a call given up by the $name leaves no connection", async ({ start }) => {
  const proxy = await startFaultProxy(inject("redisRestUrl"));
  const arrived = new Promise<ServerResponse>((resolve) => {
    proxy.fault = ({ response }) => resolve(response);
  });
  const token = inject("redisRestToken");
  const subject = await start({ url: proxy.url, token, timeout: "50ms" });
  try {
    const answer = subject.ask("open", "somebody");
    const response = await arrived;
    const closed = once(response, "close");
    expect(response.closed).toBe(false);
    expect(await answer).toMatchObject({ status: 200, reason: "store-unavailable" });
    await closed;
    expect(response.writableFinished).toBe(false);
  } finally {
    await subject.stop();
    await proxy.stop();
  }
});
