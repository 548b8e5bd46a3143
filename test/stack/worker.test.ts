import { expect, test } from "vitest";

import { startWorker } from "../../scripts/local-stack/worker.ts";
import type { Log } from "../../scripts/local-stack/worker.ts";
import { freePort } from "../../scripts/support/free-port.ts";
import { ask } from "./requests.ts";

test("a worker does not start with faulty variables, and names their faults", async () => {
  const failure = await startWorker({ variables: { ORIGIN: "nowhere", STORE: "disk" } }).then(
    () => "it started",
    ({ message }: Error) => message,
  );
  expect(failure).toMatch(/^the worker did not start: /);
  for (const name of ["ORIGIN", "STORE", "UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"]) {
    expect(failure).toContain(`\n  ${name}: `);
  }
});

test("a line that a worker writes to its log arrives", async () => {
  const logs: Log[] = [];
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const worker = await startWorker({
    variables: {
      ORIGIN: nowhere,
      UPSTASH_REDIS_REST_URL: nowhere,
      UPSTASH_REDIS_REST_TOKEN: "none",
    },
    onLog: (log) => logs.push(log),
  });
  try {
    const { status, headers } = await ask(worker.url, "POST /api/login");
    expect(status).toBe(502);
    expect(headers.get("x-ratelimit-reason")).toBe("store-unavailable");
    await expect.poll(() => logs.map(({ level }) => level)).toEqual(["warn", "warn"]);
    expect(logs[0]?.message).toMatch(/^tidegate: ERR_STORE_/);
    expect(logs[1]?.message).toMatch(/^tidegate: the origin did not answer/);
  } finally {
    await worker.stop();
  }
});
