import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";

import { compileSelection, type Route } from "../../../src/gateway/rules/select-rules.ts";
import { Steps } from "../../../src/gateway/rules/steps.ts";
import { runs } from "../../support/runs.ts";
import { words } from "../origins/spellings.ts";
import { selectOneByOne } from "../route-model.ts";
import { coverageOf, coveringOf, readingsOf } from "./readings.ts";

/** Few letters, so that random patterns cover random paths, and the characters of the router's own syntax. */
const literal = fc.constantFrom("a", "b", "ab", "aba", "A", "__proto__", "ſ");
const segment = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 2, arbitrary: fc.constantFrom(":id", ":name") },
  { weight: 2, arbitrary: fc.constantFrom("a*", "*a", "ab*ba", "*b", "a*b") },
);
const segments = fc.array(segment, { maxLength: 3 });

/** Patterns as a configuration may hold them: at most one gap, before something else. */
const pattern = fc
  .tuple(segments, fc.option(segments), fc.constantFrom("", "*"))
  .map(([head, tail, end]) => `/${[...head, ...(tail ? ["**", ...tail] : []), end].join("/")}`);

const route: fc.Arbitrary<Route> = fc.record({
  methods: fc.subarray(["GET", "POST", "*"], { minLength: 1 }),
  path: pattern,
});

const sent = fc
  .array(fc.constantFrom(...words("a b ab abba aba S :id * ** a* %61 b;x __proto__")), {
    maxLength: 6,
  })
  .chain((parts) =>
    fc
      .tuple(...parts.map(() => fc.constantFrom("/", "/", "/", "%2f", "//")))
      .map((slashes) => `/${parts.map((part, i) => part + slashes[i]).join("")}`),
  )
  .chain((path) => fc.constantFrom(path, path, `${path}%3fa`, `${path};x`));

describe("the compiled selection", () => {
  test.each(["refuse", "pass"] as const)(
    "selects the rules that trying every rule selects, where ambiguous paths %s",
    (ambiguousPaths) => {
      let selections = 0;
      fc.assert(
        fc.property(
          fc.array(route, { minLength: 1, maxLength: 12 }),
          fc.array(sent, { minLength: 1, maxLength: 8 }),
          fc.constantFrom("GET", "POST", "HEAD"),
          (routes, paths, method) => {
            const rules = routes.map((route, index) => ({ index, route }));
            const select = compileSelection(rules, ambiguousPaths);
            const model = selectOneByOne(rules, ambiguousPaths);
            for (const path of paths) {
              const readings = readingsOf(path);
              if (readings === undefined) continue;
              const asked = {
                request: new Request("http://gateway.example", { method }),
              };
              const expected = model(readings, asked);
              expect([path, select(readings, { ...asked, steps: new Steps() })]).toEqual([
                path,
                expected,
              ]);
              if (expected === "ambiguous" || expected.length > 1) selections++;
            }
          },
        ),
        { numRuns: runs(5_000) },
      );
      // Else most paths were under no rule, and little was compared.
      expect(selections).toBeGreaterThan(runs(3_000));
    },
  );
});

describe("the router", () => {
  test("takes a request's characters as text, also those that are syntax in a pattern", () => {
    const patterns = ["/:a/:a/:a/:a/:a/:a/:a/:a", "/**/:a/x"];
    const find = coveringOf(patterns);
    expect(find(Array.from({ length: 8 }, () => ":a"))).toEqual([0]);
    expect(find(["*", "**", "x"])).toEqual([1]);
  });

  test.each([100, 200])("visits no more nodes on a path of %i segments", (length) => {
    const find = coveringOf(Array.from({ length: 50 }, (_, i) => `/${"a".repeat(i)}*/**/:id/x`));
    const path = ["a".repeat(50), ...Array.from({ length }, () => "x")];
    const visits = vi.spyOn(Map.prototype, "get");
    const found = find(path);
    const { length: visited } = visits.mock.calls;
    visits.mockRestore();
    expect(found).toHaveLength(50);
    // The root; each head by the segment after it, and two of each tail and the segment before it.
    expect(visited).toBe(1 + 50 + 3 * 50);
  });

  test.each([31, 32, 33, 64, 65, 100])(
    "finds %i sought segments, all of them and in order",
    (length) => {
      const list = Array.from({ length }, (_, i) =>
        i % 5 === 3 ? ":id" : i % 7 === 5 ? `a*${i}` : `s${i}`,
      );
      const sent = list.map((segment) => segment.replace(":id", "x").replace("*", "b"));
      const covering = coveringOf([`/**/${list.join("/")}/*`, "/**/s1/s2/*"]);
      expect(covering(["y", ...sent, "z"])).toEqual([1, 0]);
      // The last bit of one list stands before the first of the next.
      expect(covering([...sent, "s2"])).toEqual([1, 0]);
      expect(covering(sent.slice(1))).toEqual([1]);
      for (const [at, segment] of list.entries()) {
        const others = sent.with(at, "other");
        const covers = segment === ":id" ? [1, 0] : at === 1 || at === 2 ? [] : [1];
        expect([at, covering(others)]).toEqual([at, covers]);
      }
    },
  );

  test.each([
    ["/*", [], true],
    ["/a/*", ["a"], true],
    ["/**/a/*", ["b", "a", "c"], true],
    ["/**/a/*", ["a", "a", "a"], true],
    ["/**/a", ["a", "b"], false],
    ["/**/", ["a", "b"], true],
    ["/a/**/*", ["a"], true],
    ["/a/**/*", ["b", "a"], false],
    ["/a/**/a", ["a"], false],
    ["/a/**/a", ["a", "a"], true],
    ["/", [], true],
    ["/", ["a"], false],
  ])("%s covers %j: %s", (pattern, path, covers) => {
    expect(coverageOf(pattern)(path)).toBe(covers);
  });
});
