import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { burst, daily, decide, full, room } from "./decide.ts";

const NOW = 1_800_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("fields of an allowed request", () => {
  test("tell one policy", () => {
    const decision = decide([[burst, room(19, 0.1)]], "allowed");
    expect(Object.fromEntries(decision.headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2',
      ratelimit: '"burst";r=19;t=1',
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "19",
      "x-ratelimit-reset": String(NOW + 1),
    });
  });

  test("tell every policy in order; those with room for one tell the one nearest its limit", () => {
    const rows = [
      [burst, room(3, 1.7)],
      [daily, room(412, 36_000)],
    ] as const;
    expect(Object.fromEntries(decide(rows, "allowed").headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2, "daily";q=1000;w=86400',
      ratelimit: '"burst";r=3;t=2, "daily";r=412;t=36000',
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "3",
      "x-ratelimit-reset": String(NOW + 2),
    });
  });

  test("call nearest the first of those with the same share left", () => {
    const rows = [
      [burst, room(10, 1)],
      [daily, room(500, 43_200)],
    ] as const;
    const limits = [rows, rows.toReversed()].map((each) =>
      decide(each, "allowed").headers().get("X-RateLimit-Limit"),
    );
    expect(limits).toEqual(["20", "1000"]);
  });

  test("tell the end in whole microseconds, so that a fraction of one is no second more", () => {
    const headers = decide([[daily, room(999, 1.000_000_25)]], "allowed").headers();
    expect(headers.get("X-RateLimit-Reset")).toBe(String(NOW + 1));
  });

  test("tell no more units than a structured field can", () => {
    const vast = fixedWindow({ name: "vast", limit: 2 ** 53 - 1, window: "1s" });
    const headers = decide([[vast, room(2 ** 53 - 2, 1)]], "allowed").headers();
    expect(headers.get("RateLimit-Policy")).toBe('"vast";q=999999999999999;w=1');
    expect(headers.get("RateLimit")).toBe('"vast";r=999999999999999;t=1');
    expect(headers.get("X-RateLimit-Remaining")).toBe("9007199254740990");
  });

  test("say nothing about waiting for a quota that is whole", () => {
    const headers = decide([[burst, room(20, 0)]], "allowed").headers();
    expect(headers.get("RateLimit")).toBe('"burst";r=20;t=0');
    expect(headers.get("X-RateLimit-Reset")).toBe(String(NOW));
  });

  test("say that the answer was not the store's", () => {
    const headers = decide([[burst, room(20, 0)]], "store-unavailable").headers();
    expect(headers.get("X-RateLimit-Reason")).toBe("store-unavailable");
    expect(headers.has("Retry-After")).toBe(false);
  });
});

describe("fields of a denied request", () => {
  test.each([
    [0.000001, "1"],
    [0.1, "1"],
    [1, "1"],
    [1.000001, "2"],
    [59.2, "60"],
    [86_400, "86400"],
  ])("ask to wait whole seconds: %d s as %s", (seconds, retryAfterUs) => {
    const headers = decide([[burst, full(seconds, 100_000)]], "limited").headers();
    expect(headers.get("Retry-After")).toBe(retryAfterUs);
    expect(headers.get("RateLimit")).toBe(`"burst";r=0;t=${retryAfterUs}`);
  });

  test("ask to wait a second where one unit has room again, but the cost of a charge had not", () => {
    const headers = decide([[burst, full(0, 1.2)]], "limited").headers();
    expect(headers.get("Retry-After")).toBe("1");
    expect(headers.get("RateLimit")).toBe('"burst";r=0;t=0');
  });

  test("tell the policy that denies, and leave the others their rest", () => {
    const rows = [
      [burst, room(19, 0.1)],
      [daily, full(3600.5, 3600.5)],
    ] as const;
    expect(Object.fromEntries(decide(rows, "limited").headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2, "daily";q=1000;w=86400',
      ratelimit: '"burst";r=19;t=1, "daily";r=0;t=3601',
      "retry-after": "3601",
      "x-ratelimit-limit": "1000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(NOW + 3601),
      "x-ratelimit-reason": "limited",
    });
  });

  test("ask for the longest wait of several", () => {
    const rows = [
      [burst, full(0.4, 2)],
      [daily, full(90, 90)],
    ] as const;
    const headers = decide(rows, "cached-denial").headers();
    expect(headers.get("Retry-After")).toBe("90");
    expect(headers.get("RateLimit")).toBe('"burst";r=0;t=1, "daily";r=0;t=90');
    expect(headers.get("X-RateLimit-Limit")).toBe("1000");
    expect(headers.get("X-RateLimit-Reason")).toBe("cached-denial");
  });

  test("tell the first of those with the same wait", () => {
    const rows = [
      [burst, full(90, 90)],
      [daily, full(90, 90)],
    ] as const;
    const limits = [rows, rows.toReversed()].map((each) =>
      decide(each, "limited").headers().get("X-RateLimit-Limit"),
    );
    expect(limits).toEqual(["20", "1000"]);
  });

  test("ask to wait a whole window for a cost that never fits", () => {
    const never = { allowed: false, remaining: 20, retryAfterUs: Infinity, resetAfterUs: 0 };
    const rows = [
      [burst, never],
      [daily, room(1000, 0)],
    ] as const;
    const decision = decide(rows, "cost-exceeds-limit");
    expect(decision.retryAfterMs).toBe(Infinity);
    expect(Object.fromEntries(decision.headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2, "daily";q=1000;w=86400',
      ratelimit: '"burst";r=20;t=2, "daily";r=1000;t=0',
      "retry-after": "2",
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "20",
      "x-ratelimit-reset": String(NOW),
      "x-ratelimit-reason": "cost-exceeds-limit",
    });
  });
});

describe("a window shorter than a second, or not of whole seconds", () => {
  test.each([
    ["1ms", 1],
    ["999ms", 1],
    ["1s", 1],
    ["1.5s", 2],
    ["366d", 31_622_400],
  ] as const)("%s is told as w=%d", (window, w) => {
    const policy = slidingWindowLog({ name: "p", limit: 5, window });
    const headers = decide([[policy, room(5, 0)]], "allowed").headers();
    expect(headers.get("RateLimit-Policy")).toBe(`"p";q=5;w=${w}`);
  });
});

describe("switches", () => {
  const rows = [[burst, full(1, 1)]] as const;

  test.each([
    [
      { "draft-11": false },
      [
        "retry-after",
        "x-ratelimit-limit",
        "x-ratelimit-reason",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
      ],
    ],
    [{ "x-ratelimit": false }, ["ratelimit", "ratelimit-policy", "retry-after"]],
    [{ "draft-11": false, "x-ratelimit": false }, ["retry-after"]],
  ])("%j leave %j", (options, names) => {
    expect([...decide(rows, "limited", options).headers().keys()]).toEqual(names);
  });

  test("are all on by default, and headers are new with every call", () => {
    const decision = decide(rows, "limited");
    decision.headers().delete("RateLimit");
    expect([...decision.headers().keys()]).toHaveLength(7);
    expect([
      ...decide(rows, "limited", { "draft-11": true, "x-ratelimit": true }).headers(),
    ]).toEqual([...decision.headers()]);
  });
});

describe("fields that are asked for late", () => {
  test("tell the reset as of the decision, however long the origin took", () => {
    const decision = decide([[burst, room(19, 0.1)]], "allowed");
    vi.setSystemTime((NOW + 30) * 1000);
    expect(decision.headers().get("X-RateLimit-Reset")).toBe(String(NOW + 1));
  });
});
