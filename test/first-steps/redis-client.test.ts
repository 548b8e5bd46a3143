import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, inject, test } from "vitest";

import { redisVariables, startProject } from "./worker.ts";

/** A module that decides four times with a client built like this from `env`. */
const decider = (library: string, construct: string) => `import { Redis } from "${library}";
import { client, createLimiter, fixedWindow } from "tidegate";

async function decide(env) {
  const limiter = createLimiter({
    redis: client(${construct}),
    policies: [fixedWindow({ limit: 2, window: "30d" })],
    timeout: "10s",
  });
  const identity = crypto.randomUUID();
  const reasons = [];
  for (let i = 0; i < 4; i++) reasons.push((await limiter.limit(identity)).reason);
  return reasons.join();
}
`;

const decided = "allowed,allowed,cached-denial,cached-denial";

const built = "new Redis({ url: env.UPSTASH_REDIS_REST_URL, token: env.UPSTASH_REDIS_REST_TOKEN })";

describe("a client of @upstash/redis in its default construction decides", () => {
  test.each([
    ["@upstash/redis", built],
    ["@upstash/redis", "Redis.fromEnv()"],
  ])("in Node, from %s: %s", async (library, construct) => {
    const program = `${decider(library, construct)}console.log(await decide(process.env));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", program],
      { cwd: inject("installed"), env: { ...process.env, ...redisVariables() } },
    );
    expect(stdout.trim()).toBe(decided);
  });

  test.each([
    ["@upstash/redis", built],
    ["@upstash/redis/cloudflare", built],
    ["@upstash/redis/cloudflare", "Redis.fromEnv(env)"],
  ])("on Workers, from %s: %s", async (library, construct) => {
    const entry = `${decider(library, construct)}
export default {
  async fetch(request, env) {
    return new Response(await decide(env));
  },
};`;
    const worker = await startProject({
      compatibilityDate: "2024-09-23",
      files: { "src/index.ts": entry },
      variables: redisVariables(),
    });
    expect(await (await worker.fetch("/")).text()).toBe(decided);
  });
});
