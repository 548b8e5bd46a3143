import { expect, test } from "vitest";

import { listedDecision } from "../../src/decide/listed.ts";

test("a client that a list allows is allowed, and has no quota", async () => {
  const decision = listedDecision("exempt");
  expect(JSON.parse(JSON.stringify(decision))).toEqual({
    allowed: true,
    reason: "exempt",
    status: 200,
    retryAfterMs: 0,
    policies: [],
  });
  expect(Object.fromEntries(decision.headers())).toEqual({ "x-ratelimit-reason": "exempt" });
  const response = decision.response();
  expect([response.status, await response.text()]).toEqual([200, ""]);
  expect(Object.fromEntries(response.headers)).toEqual({
    "x-ratelimit-reason": "exempt",
    "cache-control": "no-store",
  });
});

test("a client that a list denies gets a 403, and nothing that sounds like waiting", async () => {
  const decision = listedDecision("blocked");
  expect(decision).toMatchObject({
    allowed: false,
    reason: "blocked",
    status: 403,
    retryAfterMs: Infinity,
    policies: [],
  });
  expect(Object.fromEntries(decision.headers())).toEqual({ "x-ratelimit-reason": "blocked" });
  const response = decision.response();
  expect(response.status).toBe(403);
  expect(Object.fromEntries(response.headers)).toEqual({
    "x-ratelimit-reason": "blocked",
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  expect(await response.json()).toEqual({
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    detail: "Requests from this client are not accepted.",
  });
});
