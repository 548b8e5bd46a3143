import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { useDeployed } from "../deployed.ts";

describe("in workerd a silent origin", () => {
  const gateway = useDeployed({ ORIGIN_TIMEOUT: "500ms" });

  test("is a 504 and a log line, and one that has begun is not cut off", async () => {
    gateway.answer(async ({ url }, response) => {
      if (url === "/silent") return;
      response.write("first ");
      await sleep(1_500);
      response.end("last");
    });
    const slow = await gateway.ask("/slow");
    expect([slow.status, slow.bytes.toString()]).toEqual([200, "first last"]);
    const { status, headers } = await gateway.ask("/silent");
    expect([status, headers["content-type"]]).toEqual([504, "application/problem+json"]);
    await expect
      .poll(() => gateway.log.join("\n"), { timeout: 15_000 })
      .toContain("the origin did not answer within ORIGIN_TIMEOUT: 1 request");
  });
});

describe("in workerd a lost secret", () => {
  const gateway = useDeployed({ ON_ERROR: "pass", UPSTASH_REDIS_REST_TOKEN: "" });

  test("lets requests pass where ON_ERROR says so", async () => {
    gateway.answer((_, response) => void response.end("origin"));
    const { status, headers, bytes } = await gateway.ask("/x");
    expect([status, bytes.toString(), headers["ratelimit"]]).toEqual([200, "origin", undefined]);
    expect((await gateway.ask("/_tidegate/health")).status).toBe(503);
  });
});
