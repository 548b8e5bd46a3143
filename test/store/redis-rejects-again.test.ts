import { expect, onTestFinished, test, vi } from "vitest";

import { createLimiter, fixedWindow } from "../../src/index.ts";

test("a server that says it is Upstash and rejects its scripts is believed once", async () => {
  const scripts: string[] = [];
  const headers = { "upstash-sync-token": "no" };
  vi.stubGlobal("fetch", async (_url: string, { body }: RequestInit) => {
    const [command, script] = JSON.parse(body as string) as [string, string];
    if (command === "EVALSHA") {
      return Response.json({ error: "NOSCRIPT No matching script." }, { status: 400, headers });
    }
    scripts.push(script.slice(0, 5));
    return script.startsWith("#!")
      ? Response.json({ error: "ERR Unexpected flag in script shebang" }, { status: 400, headers })
      : Response.json({ result: [1, 1, 8, 0, 0] }, { headers });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const limiter = createLimiter({
    redis: { url: "https://redis.example", token: "t" },
    policies: [fixedWindow({ limit: 9, window: "1h" })],
  });
  for (let request = 0; request < 3; request++) {
    expect(await limiter.limit("ada")).toMatchObject({ reason: "allowed" });
  }
  expect(scripts).toEqual(["#!lua", "local", "local", "local"]);
});
