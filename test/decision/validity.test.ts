import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { decide, full, room } from "./decide.ts";
import { parseList } from "./structured-fields.ts";

describe("RateLimit and RateLimit-Policy", () => {
  test("are lists of RFC 9651 that agree with the decision", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    const limit = fc.integer({ min: 1, max: 1_000_000_000 });
    const hours = fc.integer({ min: 1, max: 8784 });
    const row = fc.oneof(
      fc.tuple(limit, fc.double({ min: 0, max: 3e7, noNaN: true })).map(([r, t]) => room(r, t)),
      fc.double({ min: 1e-6, max: 3e7, noNaN: true }).map((t) => full(t, t)),
      fc.constant({ ...full(1, 0), retryAfterUs: Infinity }),
    );
    const policy = fc.tuple(name, limit, hours, row);
    fc.assert(
      fc.property(
        fc.uniqueArray(policy, { minLength: 1, maxLength: 16, selector: ([name]) => name }),
        (policies) => {
          const rows = policies.map(
            ([name, limit, hours, row]) =>
              [fixedWindow({ name, limit, window: `${hours}h` }), row] as const,
          );
          const headers = decide(rows, "limited").headers();
          expect(parseList(headers.get("RateLimit-Policy")!)).toEqual(
            policies.map(([value, q, hours]) => ({ value, parameters: { q, w: hours * 3600 } })),
          );
          const told = parseList(headers.get("RateLimit")!);
          expect(told.map(({ value }) => value)).toEqual(policies.map(([name]) => name));
          told.forEach(({ parameters }, i) => {
            const { remaining, retryAfterUs, resetAfterUs, allowed } = policies[i]![3];
            const wait = allowed ? resetAfterUs : retryAfterUs;
            const seconds = wait === Infinity ? policies[i]![2] * 3600 : Math.ceil(wait / 1e6);
            expect(parameters).toEqual({ r: remaining, t: seconds });
          });
        },
      ),
    );
  });

  test.each([
    '"a";q=1,',
    "a;q=1",
    '"a";q=1.5',
    '"a";Q=1',
    '"a" ;q=1',
    '"é";q=1',
    '"a";q=1 "b"',
    "",
  ])("%j would not be one", (field) => {
    expect(() => parseList(field)).toThrow(field);
  });
});
