import { describe, expect, test } from "vitest";

import { appendFields } from "../../src/adapter/append-fields.ts";

/** A response's fields after a decision's were added. */
function together(theirs: Record<string, string>, ours: Record<string, string>) {
  const told = appendFields(new Response("hello", { headers: theirs }), new Headers(ours));
  told.headers.delete("content-type");
  return Object.fromEntries(told.headers);
}

describe("a decision's field on a response", () => {
  test.for(["RateLimit", "RateLimit-Policy", "ratelimit"])("%s comes after theirs", (name) => {
    expect(together({ [name]: "theirs" }, { [name]: "ours" })).toEqual({
      [name.toLowerCase()]: "theirs, ours",
    });
    expect(together({}, { [name]: "ours" })).toEqual({ [name.toLowerCase()]: "ours" });
  });

  test.for(["Retry-After", "X-RateLimit-Reason", "Cache-Control"])("%s leaves theirs", (name) => {
    expect(together({ [name]: "theirs" }, { [name]: "ours" })).toEqual({
      [name.toLowerCase()]: "theirs",
    });
    expect(together({}, { [name]: "ours" })).toEqual({ [name.toLowerCase()]: "ours" });
  });

  test.for(["Limit", "Remaining", "Reset"])(
    "X-RateLimit-%s is left out with its two siblings where one of theirs is there",
    (one) => {
      const ours = {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "2",
        "X-RateLimit-Reset": "3",
      };
      const name = `x-ratelimit-${one.toLowerCase()}`;
      expect(together({ [name]: "theirs" }, { ...ours, "Retry-After": "4" })).toEqual({
        [name]: "theirs",
        "retry-after": "4",
      });
    },
  );

  test("is not put on the given response, which may be immutable", async () => {
    const given = new Response("hello", { status: 418, statusText: "teapot" });
    const told = appendFields(given, new Headers({ RateLimit: "ours" }));
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
    expect(appendFields(given, new Headers({ RateLimit: "ours" }))).toBe(given);
    expect(given.headers.has("RateLimit")).toBe(false);
  });
});
