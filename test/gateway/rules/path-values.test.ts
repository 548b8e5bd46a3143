import { describe, expect, test } from "vitest";

import { namedSegments } from "../../../src/gateway/rules/named-segments.ts";
import { Faults } from "../../../src/options/faults.ts";
import { allOf, readingsOf } from "./readings.ts";

/** The value of `:id` under a pattern. */
function valueOf(pattern: string, path: string): string | undefined {
  return readerOf(pattern, "id").read(allOf(readingsOf(path)!));
}

/** Reads a segment by its name, and the faults of a rule that asks for it. */
function readerOf(pattern: unknown, name: string) {
  const faults = new Faults();
  const read = namedSegments(pattern).reader(name, "partition[0]", faults);
  return { read, faults: faults.list };
}

describe("the value of a named segment", () => {
  test.each([
    ["/users/:id", "/users/42", "42"],
    ["/users/:id/", "/users/42", "42"],
    ["/:tenant/users/:id/*", "/acme/users/42/a/b", "42"],
    ["/:id/*", "/42", "42"],
    ["/**/users/:id", "/api/v1/users/42", "42"],
    ["/**/:id", "/a/b/42", "42"],
    ["/:id/**/x", "/42/a/b/x", "42"],
    ["/**/users/:id/*", "/api/users/42/a/b", "42"],
    ["/**/:id/x*/*", "/a/42/x1/x2", undefined],
    ["/**/:id/x*/*", "/a/42/x1/y", "42"],
    ["/:id/to/:id", "/42/to/42", "42"],
    ["/:id/to/:id", "/42/to/43", undefined],
    ["/:id/**/:id", "/42/a/b/42", "42"],
    ["/:id/**/:id", "/42/a/b/43", undefined],
  ])("under %s in %s is %j", (pattern, path, value) => {
    expect(valueOf(pattern, path)).toBe(value);
  });

  test.each([
    "/users/J%C3%B6rg",
    "/Users/j%c3%b6rg",
    "/users/J\u00f6rg",
    "/users//J%C3%96RG/",
    "/users/J%C3%B6rg;a=1",
    "/users/J%C3%B6rg%3Ba",
    "/users/J%C3%B6rg%3fa",
    "/users/J%C3%B6rg%23a",
    "/users/J%C3%B6rg%20%20",
    "/users/%254A%C3%B6rg",
    "/users/%4a%25c3%25b6rg",
    "/users;a/J%C3%B6rg",
  ])("is one for every spelling of it: %s", (path) => {
    expect(valueOf("/users/:id", path)).toBe("jörg");
  });

  test("is its text, if no origin reads less", () => {
    expect(valueOf("/npm/:id", "/npm/@scope%2fname")).toBe("@scope/name");
    expect(valueOf("/:id", "/100%25")).toBe("100%");
    expect(valueOf("/:id", "/a+b")).toBe("a+b");
  });

  test.each([
    ["a slash that may end it", "/users/:id/*", "/users/42%2fx"],
    ["a slash that may end it, twice", "/users/:id/*", "/users/42%2f%2fx/y"],
    ["a slash that may move it", "/**/:id", "/a%2fb"],
    ["a path that may end before it", "/**/:id", "/a/42%3fx/y"],
    ["two places for it", "/**/users/:id/*", "/users/1/users/42"],
    ["parameters alone", "/users/:id/*", "/users/;a/x"],
  ])("is nobody's if origins may read different ones: %s", (_, pattern, path) => {
    expect(valueOf(pattern, path)).toBeUndefined();
  });

  test("is none of a name that the path does not have, and of any name where it is unreadable", () => {
    for (const name of ["A", "d"]) {
      const { read, faults } = readerOf("/:a/**/:b-c/x:d/:a", name);
      expect(read([["a"]])).toBeUndefined();
      expect(faults).toEqual([
        {
          path: "partition[0]",
          code: "unknown-name",
          value: `"path:${name}"`,
          remedy: `Add ":${name}" to the rule's path, or use "path:a", or use "path:b-c": it has no such segment.`,
        },
      ]);
    }
    const unreadable = readerOf(undefined, "a");
    expect(unreadable.read([["a"]])).toBeUndefined();
    expect(unreadable.faults).toEqual([]);
  });

  test("is found where a name could stand in thousands of places", () => {
    const path = Array.from({ length: 8_000 }, () => "a");
    expect(readerOf("/**/a/:id/*", "id").read([path])).toBe("a");
  });
});
