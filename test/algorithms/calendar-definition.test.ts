import { expect, test } from "vitest";

import { renewalOf } from "../../src/algorithms/calendar-definition.ts";
import { compileAt } from "../support/calendar/compile.ts";
import { fixedWindow } from "../support/limiter/plain.ts";

const HOUR_MS = 3_600_000;
const MORNING = Date.UTC(2026, 2, 15, 9);

test.for([
  ["hour", 1],
  ["day", 24],
  ["week", 7 * 24],
  ["month", 31 * 24],
] as const)("a %s has %i hours at most", ([window, hours]) => {
  const [policy] = compileAt(() => MORNING * 1000, fixedWindow({ limit: 1, window }));
  expect(policy!.windowUs).toBe(hours * HOUR_MS * 1000);
});

test("the key names the unit, the zone and the first day, and neither the limit nor the window of now", () => {
  const keyOf = (options: object, nowUs = 0) =>
    compileAt(() => nowUs, fixedWindow({ name: "c", limit: 1, window: "month", ...options }))[0]!
      .key;
  expect(keyOf({})).toBe("c:f3:month/UTC/1");
  expect(keyOf({ limit: 7 }, 1e15)).toBe("c:f3:month/UTC/1");
  expect(keyOf({ timeZone: "Asia/Tokyo" })).toBe("c:f3:month/Asia/Tokyo/1");
  expect(keyOf({ window: "week", anchor: 4 })).toBe("c:f3:week/UTC/4");
});

test("at the boundary, all that the script gets is of the window that begins", () => {
  let nowMs = Date.UTC(2026, 1, 28);
  const made = () => compileAt(() => nowMs * 1000, fixedWindow({ limit: 1, window: "month" }))[0]!;
  const policy = made();
  nowMs = Date.UTC(2026, 2, 1);
  const fresh = made();
  expect(policy.implementation.live!(policy)).toEqual(fresh.implementation.live!(fresh));
});

test("a policy is renewed at the end of the window of now, in its zone", () => {
  let nowMs = MORNING;
  const options = { limit: 1, window: "hour", timeZone: "Asia/Kathmandu" } as const;
  const [policy] = compileAt(() => nowMs * 1000, fixedWindow(options));
  const timeZone = "Asia/Kathmandu";
  expect(renewalOf(policy!.parameters)).toEqual({ atMs: MORNING + HOUR_MS / 4, timeZone });
  nowMs += HOUR_MS / 4;
  expect(renewalOf(policy!.parameters)).toEqual({ atMs: MORNING + (5 * HOUR_MS) / 4, timeZone });
  const [other] = compileAt(() => nowMs * 1000, fixedWindow({ limit: 1, window: "1h" }));
  expect(renewalOf(other!.parameters)).toBeUndefined();
});
