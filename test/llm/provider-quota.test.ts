import { expect, test } from "vitest";

import { quotasIn, retryAfterMs } from "../../src/llm/provider-quota.ts";

const NOW_MS = Date.parse("2026-11-29T12:00:00Z");
const told = (fields: Record<string, string>) => quotasIn(new Headers(fields), NOW_MS);

test("OpenAI's fields tell requests and tokens", () => {
  expect(
    told({
      "x-ratelimit-limit-requests": "5000",
      "x-ratelimit-remaining-requests": "4999",
      "x-ratelimit-reset-requests": "12ms",
      "x-ratelimit-limit-tokens": "160000",
      "x-ratelimit-remaining-tokens": "40000",
      "x-ratelimit-reset-tokens": "45s",
    }),
  ).toEqual({
    requests: { limit: 5_000, remaining: 4_999 },
    tokens: { limit: 160_000, remaining: 40_000 },
  });
});

test("Anthropic's fields tell tokens of the input and the answer apart, and dates", () => {
  expect(
    told({
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "25",
      "anthropic-ratelimit-requests-reset": "2026-11-29T12:00:30Z",
      "anthropic-ratelimit-tokens-limit": "60000",
      "anthropic-ratelimit-input-tokens-limit": "50000",
      "anthropic-ratelimit-input-tokens-remaining": "49000",
      "anthropic-ratelimit-output-tokens-limit": "10000",
    }),
  ).toEqual({
    requests: { limit: 50, remaining: 25 },
    input: { limit: 50_000, remaining: 49_000 },
    output: { limit: 10_000, remaining: undefined },
  });
});

test("a limit whose reset is far away is one of a day", () => {
  const quotas = told({
    // One of 14,400 comes back every six seconds.
    "x-ratelimit-limit-requests": "14400",
    "x-ratelimit-remaining-requests": "14370",
    "x-ratelimit-reset-requests": "2m59.56s",
    "x-ratelimit-limit-tokens": "18000",
    "x-ratelimit-remaining-tokens": "17997",
    "x-ratelimit-reset-tokens": "7.66ms",
  });
  expect(quotas).toEqual({
    requestsPerDay: { limit: 14_400, remaining: 14_370 },
    tokens: { limit: 18_000, remaining: 17_997 },
  });
  expect(
    told({
      "x-ratelimit-limit-tokens": "500000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "7h12m0s",
      "anthropic-ratelimit-input-tokens-limit": "50000",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-30T00:00:00Z",
    }),
  ).toEqual({ tokensPerDay: { limit: 500_000, remaining: 0 } });
});

test("fields that are missing, zero or no number tell nothing", () => {
  for (const limit of ["", "0", "-5", "1e3", "many", "9".repeat(20)]) {
    expect(told({ "x-ratelimit-limit-requests": limit })).toEqual({});
  }
  expect(told({ "x-ratelimit-remaining-requests": "5" })).toEqual({});
});

test.for([
  [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
  [{ "retry-after": "2" }, 2_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Sun, 29 Nov 2026 12:00:07 GMT" }, 7_000],
  [{ "retry-after": "Sun, 29 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
] as const)("%j asks to wait for %s ms", ([fields, ms]) => {
  expect(retryAfterMs(new Headers(fields), NOW_MS)).toBe(ms);
});
