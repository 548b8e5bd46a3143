import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import * as ofDocument from "../../src/gateway/rules/document-messages.ts";
import * as ofOverrides from "../../src/gateway/rules/override-messages.ts";
import * as ofVariables from "../../src/gateway/rules/variable-messages.ts";
import { Faults } from "../../src/options/faults.ts";
import * as ofCode from "../../src/options/messages.ts";
import { PlacedFaults } from "../../src/options/placed-faults.ts";

function codesIn(text: string, form: RegExp): string[] {
  return [...text.matchAll(form)].map(([, code]) => code!).sort();
}

const fileOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Everything exported that is a kind of fault. */
const kinds = [ofCode, ofVariables, ofOverrides, ofDocument].flatMap((messages) =>
  Object.values(messages as Record<string, unknown>).flatMap((kind) =>
    typeof kind === "object" && kind !== null && "code" in kind ? [kind as { code: string }] : [],
  ),
);

test("the codes of faults are those of the docs, and each is in use", () => {
  const docs = fileOf("docs/options.md").split("## Faults\n")[1]!.split("\n## ")[0]!;
  const documented = codesIn(docs, /^\| `([a-z-]+)`/gm);
  const type = fileOf("src/options/errors.ts").split("export type FaultCode =")[1]!.split(";")[0]!;
  expect(documented).toEqual(codesIn(type, /\| "([a-z-]+)"/g));
  expect([...new Set(kinds.map(({ code }) => code))].sort()).toEqual(documented);
});

test("a dialect has its own sentence for a kind, with the kind's values, and that of code for others", () => {
  const [code, variables, document] = [undefined, ofVariables.VARIABLES, ofDocument.DOCUMENT].map(
    (sentences) => {
      const faults = new Faults(sentences);
      faults.add("policies", [], ofCode.POLICY_LIST, 16);
      faults.add("limit", 0, ofCode.INTEGER, { max: 9 });
      faults.add("plan", "header:x", ofCode.PLAN_WITHOUT_PLANS);
      return faults.list.map(({ remedy }) => remedy);
    },
  );
  expect(code![0]).toBe("Give a list of 1 to 16 policies, such as [tokenBucket({ ... })].");
  expect(variables![0]).toContain("Give a list of 1 to 16 policies, such as policies = [{ alg");
  expect(document![0]).toContain('Give a list of 1 to 16 policies, such as "policies": [{"alg');
  expect([code![2], variables![2], document![2]]).toEqual([
    "Give `plans`, too: the plans that exist.",
    "Set PLANS, too: the plans that exist.",
    "Give plans, too: the plans that exist.",
  ]);
  for (const said of [code, variables, document]) {
    expect(said![1]).toBe("Give a whole number from 1 to 9.");
  }
});

test("no sentence of a document or of variables has words of another dialect", () => {
  for (const say of ofVariables.VARIABLES.values()) {
    expect(typeof say === "string" ? say : say(9 as never)).not.toMatch(/\w\(|\{ \w+: |builder/);
  }
  const inherited = new Set(ofVariables.VARIABLES.values());
  const own = [...ofDocument.DOCUMENT.values()].filter((say) => !inherited.has(say));
  expect(own.length).toBeGreaterThan(5);
  for (const say of own) {
    const said = typeof say === "string" ? say : say({ index: 1, route: "" } as never);
    expect(said).not.toMatch(/\b(?:RULES|PLANS|LISTS|OVERRIDES)\b|\{ \w+ = /);
  }
});

test("faults of a part stand among those of the whole at their places, and the part knows of each", () => {
  const whole = new Faults();
  const list = new PlacedFaults(whole, { pathsOf: (path) => [`list.${path}`] });
  const entry = new PlacedFaults(list, {
    pathsOf: (path) => (path === "known" ? [] : [`[0].${path}`, `[1].${path}`]),
    note: " (Here.)",
  });
  entry.add("name", 1, ofCode.NAME);
  entry.add("known", 2, ofCode.NAME);
  expect(entry.list.map(({ path }) => path)).toEqual(["name", "known"]);
  expect(whole.list.map(({ path }) => path)).toEqual(["list.[0].name", "list.[1].name"]);
  expect(whole.list[0]).toEqual({
    path: "list.[0].name",
    code: "shape",
    value: "1",
    remedy: `${ofCode.NAME.say} (Here.)`,
  });
});

test("a part has sentences of its own dialect, and those of the whole where it has none", () => {
  const whole = new Faults(ofVariables.VARIABLES);
  const pathsOf = (path: string) => [path];
  new PlacedFaults(whole, { pathsOf }).add("plan", "x", ofCode.PLAN_WITHOUT_PLANS);
  new PlacedFaults(whole, { pathsOf, sentences: ofDocument.DOCUMENT }).add(
    "plan",
    "x",
    ofCode.PLAN_WITHOUT_PLANS,
  );
  expect(whole.list.map(({ remedy }) => remedy)).toEqual([
    "Set PLANS, too: the plans that exist.",
    "Give plans, too: the plans that exist.",
  ]);
});
