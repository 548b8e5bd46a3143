import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { execPath } from "node:process";

import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { codeBlocks } from "../docs/code-blocks.ts";

let bridge: ChildProcess;
let url: string;
let token: string;
let complaints = "";
beforeAll(async () => {
  const { code } = codeBlocks("docs/bridge.md").find((block) =>
    block.code.startsWith("npx @tidegate/redis-rest"),
  )!;
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const line = code
    .replace("redis://127.0.0.1:6379", inject("redisUrl"))
    .replace("8079", String(port));
  bridge = spawn("bash", ["-c", `${line.trim()} --emulate upstash`], {
    cwd: inject("installed"),
    env: { ...process.env, npm_config_offline: "true", REDIS_REST_TOKEN: "" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, to be ended as a terminal's Ctrl-C would: npx, its shell and the bridge.
    detached: true,
  });
  bridge.stderr!.on("data", (chunk) => (complaints += chunk));
  let printed = "";
  for await (const chunk of bridge.stdout!) {
    printed += String(chunk);
    // A newcomer copies it from there.
    token = /token (\S+)\n/.exec(printed)?.[1] ?? "";
    if (printed.includes(url) && token !== "") break;
  }
});
afterAll(async () => {
  process.kill(-bridge.pid!, "SIGINT");
  await once(bridge, "close");
});

async function ask(...command: string[]): Promise<unknown> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(command),
  });
  return answer.json();
}

test("the bridge serves a Redis, as its page starts it", async () => {
  expect(await ask("PING"), complaints).toEqual({ result: "PONG" });
  expect(await ask("EVAL", "return {1, 'two'}", "0")).toEqual({ result: [1, "two"] });
});

test("it decides", async () => {
  const program = `
    import { createLimiter, fixedWindow } from "tidegate";
    const limiter = createLimiter({
      redis: { url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} },
      timeout: "10s",
      policies: [fixedWindow({ limit: 2, window: "30d" })],
    });
    const reasons = [];
    for (let i = 0; i < 3; i++) reasons.push((await limiter.limit("${crypto.randomUUID()}")).reason);
    console.log(reasons.join());`;
  const child = spawn(execPath, ["--input-type=module", "-e", program], {
    cwd: inject("installed"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  await once(child, "close");
  expect(out.trim()).toBe("allowed,allowed,cached-denial");
});
