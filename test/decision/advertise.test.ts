import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { burst, daily, decide, full, room } from "./decide.ts";

const NOW = 1_800_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW * 1000 }));
afterEach(() => void vi.useRealTimers());

const hidden = { ...daily, advertise: false };
const hiddenBurst = { ...burst, advertise: false };

describe("a policy that is not advertised", () => {
  test("is in no field of an allowed request, even if it is the nearest to its limit", () => {
    const rows = [
      [hidden, room(1, 36_000)],
      [burst, room(19, 0.1)],
    ] as const;
    expect(Object.fromEntries(decide(rows, "allowed").headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2',
      ratelimit: '"burst";r=19;t=1',
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "19",
      "x-ratelimit-reset": String(NOW + 1),
    });
  });

  test("that denies is waited for, and no other field reveals it", async () => {
    const rows = [
      [burst, room(19, 0.1)],
      [hidden, full(3600.5, 3600.5)],
    ] as const;
    const decision = decide(rows, "limited");
    expect(Object.fromEntries(decision.headers())).toEqual({
      "ratelimit-policy": '"burst";q=20;w=2',
      ratelimit: '"burst";r=19;t=1',
      "retry-after": "3601",
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "19",
      "x-ratelimit-reset": String(NOW + 1),
      "x-ratelimit-reason": "limited",
    });
    const body = await decision.response().text();
    expect(JSON.parse(body)).toMatchObject({
      detail: "The request quota is used up. Try again in 61 minutes.",
      "violated-policies": [],
    });
    expect(body).not.toContain("daily");
  });

  test("has its row in the decision", () => {
    const rows = [
      [burst, room(19, 0.1)],
      [hidden, full(90, 90)],
    ] as const;
    const decision = decide(rows, "limited");
    expect(decision.policies.map(({ name, allowed }) => [name, allowed])).toEqual([
      ["burst", true],
      ["daily", false],
    ]);
    expect(decision.retryAfterMs).toBe(90_000);
  });

  test("leaves the others that deny in the problem", async () => {
    const rows = [
      [hidden, full(1, 1)],
      [burst, full(2, 2)],
    ] as const;
    expect(await decide(rows, "limited").response().json()).toMatchObject({
      "violated-policies": ["burst"],
    });
  });

  test("leaves no quota fields where there is no other", () => {
    const allowed = decide([[hidden, room(1, 1)]], "allowed");
    expect([...allowed.headers()]).toEqual([]);
    const rows = [
      [hidden, full(5, 5)],
      [hiddenBurst, full(2, 2)],
    ] as const;
    expect(Object.fromEntries(decide(rows, "limited").headers())).toEqual({
      "retry-after": "5",
      "x-ratelimit-reason": "limited",
    });
  });

  test("is one that says so: true is the default", () => {
    const rows = [[{ ...burst, advertise: true }, full(1, 1)]] as const;
    expect([...decide(rows, "limited").headers()]).toEqual([
      ...decide([[burst, full(1, 1)]], "limited").headers(),
    ]);
  });
});
