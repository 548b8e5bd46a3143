import { describe, expect, test } from "vitest";

import type { Decision } from "../../src/decide/decision.ts";
import { appendFields } from "../../src/decide/present.ts";
import { burst, decide, full, room } from "../decision/decide.ts";

const allowed = decide([[burst, room(7, 1.3)]], "allowed");
const optimistic = decide([[burst, room(7, 1.3)]], "optimistic");
const denied = decide([[burst, full(0.1, 2)]], "limited");

/** A response's fields after a decision's were added. */
function together(theirs: Record<string, string>, decision: Decision) {
  const told = appendFields(new Response(null, { headers: theirs }), decision);
  return Object.fromEntries(told.headers);
}

describe("a decision's field on a response", () => {
  test("is as the decision tells it", () => {
    for (const decision of [allowed, optimistic, denied]) {
      const fields = Object.fromEntries(decision.headers());
      expect(together({}, decision)).toEqual(fields);
      expect(together({ ETag: '"1"' }, decision)).toEqual({ ...fields, etag: '"1"' });
    }
  });

  test.for(["RateLimit", "RateLimit-Policy", "ratelimit"])("%s comes after theirs", (name) => {
    expect(together({ [name]: "theirs" }, allowed)).toEqual({
      ...Object.fromEntries(allowed.headers()),
      [name.toLowerCase()]: `theirs, ${allowed.headers().get(name)}`,
    });
  });

  test.for([
    ["Retry-After", denied],
    ["X-RateLimit-Reason", optimistic],
  ] as const)("%s leaves theirs", ([name, decision]) => {
    expect(together({ [name]: "theirs" }, decision)).toEqual({
      ...Object.fromEntries(decision.headers()),
      [name.toLowerCase()]: "theirs",
    });
  });

  test.for(["Limit", "Remaining", "Reset"])(
    "X-RateLimit-%s is left out with its two siblings where one of theirs is there",
    (one) => {
      const name = `x-ratelimit-${one.toLowerCase()}`;
      expect(together({ [name]: "theirs" }, denied)).toEqual({
        [name]: "theirs",
        "ratelimit-policy": denied.headers().get("RateLimit-Policy"),
        ratelimit: '"burst";r=0;t=1',
        "retry-after": "1",
        "x-ratelimit-reason": "limited",
      });
    },
  );

  test("is not put on the given response, which may be immutable", async () => {
    const given = new Response("hello", { status: 418, statusText: "teapot" });
    const told = appendFields(given, allowed);
    expect(given.headers.has("RateLimit")).toBe(false);
    expect([told.status, told.statusText, await told.text()]).toEqual([418, "teapot", "hello"]);
  });

  test("is none on a response that switches protocols, which is handed on as it is", () => {
    class Switching extends Response {
      override get status(): number {
        return 101;
      }
    }
    const given = new Switching();
    expect(appendFields(given, allowed)).toBe(given);
    expect(given.headers.has("RateLimit")).toBe(false);
  });
});
