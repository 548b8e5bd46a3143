import { describe, expect, test } from "vitest";

import { fixedWindow, refundable } from "../../src/index.ts";
import { burst, daily, decide, full, room } from "./decide.ts";

describe("a denial as a response", () => {
  test("is a 429 problem that names the policies without room", async () => {
    const decision = decide(
      [
        [burst, room(19, 0.1)],
        [daily, full(3600.5, 3600.5)],
      ],
      "limited",
    );
    const response = decision.response();

    expect(response.status).toBe(429);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Retry-After")).toBe("3601");
    for (const [name, value] of decision.headers()) {
      expect([name, response.headers.get(name)]).toEqual([name, value]);
    }
    expect(await response.json()).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota Exceeded",
      status: 429,
      detail: "The request quota is used up. Try again in 61 minutes.",
      "violated-policies": ["daily"],
    });
  });

  test("says what is left, where the request costs more than that", async () => {
    const dear = { allowed: false, remaining: 120, retryAfterUs: 2e6, resetAfterUs: 9e6 };
    const response = decide([[burst, dear]], "limited").response();
    expect(await response.json()).toMatchObject({
      detail: "This request costs more than the 120 units left. Try again in 2 s.",
      "violated-policies": ["burst"],
    });
    const used = decide(
      [
        [burst, dear],
        [daily, full(9, 9)],
      ],
      "limited",
    ).response();
    expect(await used.json()).toMatchObject({
      detail: "The request quota is used up. Try again in 9 s.",
    });
  });

  test("does not ask to try a cost again that never fits", async () => {
    const never = { allowed: false, remaining: 20, retryAfterUs: Infinity, resetAfterUs: 0 };
    const response = decide([[burst, never]], "cost-exceeds-limit").response();
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota Exceeded",
      status: 429,
      detail: "This request costs more than its limit of 20 units.",
      "violated-policies": ["burst"],
    });
    const both = [
      [burst, never],
      [daily, never],
    ] as const;
    expect(await decide(both, "cost-exceeds-limit").response().json()).toMatchObject({
      detail: "This request costs more than its limit of 20 units.",
    });
    const hidden = [[{ ...burst, advertise: false }, never]] as const;
    expect(await decide(hidden, "cost-exceeds-limit").response().json()).toMatchObject({
      detail: "This request costs more than its limit.",
    });
  });

  test("says what is left of a cost that does not fit, and how long to wait at most", async () => {
    const money = fixedWindow({ name: "money", limit: 20, window: "1d", refundable: refundable() });
    const dear = { allowed: false, remaining: 7, retryAfterUs: 120e6, resetAfterUs: 120e6 };
    const response = decide(
      [
        [money, dear],
        [daily, room(3, 9)],
      ],
      "limited",
    ).response();
    expect(await response.json()).toMatchObject({
      detail: "This request costs more than the 7 units left. Try again in 2 minutes.",
    });
  });

  test("is a 503 problem where the limits could not be checked", async () => {
    const rows = [
      [burst, full(1, 1)],
      [daily, full(1, 1)],
    ] as const;
    const response = decide(rows, "store-unavailable", {}, 503).response();
    expect(response.status).toBe(503);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(await response.json()).toEqual({
      type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
      title: "Temporary Reduced Capacity",
      status: 503,
      detail: "The service cannot check its limits right now. Try again in 1 s.",
      "violated-policies": ["burst", "daily"],
    });
  });

  test("is a new response with every call", async () => {
    const decision = decide([[burst, full(1, 1)]], "limited");
    await decision.response().text();
    expect(await decision.response().text()).toContain("quota-exceeded");
  });

  test("says how long to wait also where no header field is asked for", async () => {
    const off = { "draft-11": false, "x-ratelimit": false };
    const response = decide([[burst, full(2.5, 3)]], "limited", off).response();
    expect(response.headers.get("Retry-After")).toBe("3");
  });
});

describe("an allowed decision as a response", () => {
  test("is an empty 200 with its fields, and asks no client to try again", async () => {
    const decision = decide(
      [
        [burst, room(19, 0.1)],
        [daily, room(999, 86_400)],
      ],
      "allowed",
    );
    const response = decision.response();
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(Object.fromEntries(response.headers)).toEqual({
      ...Object.fromEntries(decision.headers()),
      "cache-control": "no-store",
    });
    expect(response.headers.get("RateLimit")).toBe('"burst";r=19;t=1, "daily";r=999;t=86400');
    expect(response.headers.has("Retry-After")).toBe(false);
    expect(response.headers.has("Content-Type")).toBe(false);
  });

  test("is the same where the store was not there and a policy lets pass", async () => {
    const response = decide([[burst, room(19, 0.1)]], "store-unavailable").response();
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("X-RateLimit-Reason")).toBe("store-unavailable");
  });
});
