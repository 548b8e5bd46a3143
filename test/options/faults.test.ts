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
