import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { TOKENS_A_SECOND, USAGE_SHAPES } from "../../src/llm/usage-shapes.ts";
import { bytesOf, readThrough, streamed } from "./streamed.ts";

/** An object with a value at a path, of which `[]` is a list with one item. */
function withAt(path: string, value: unknown): unknown {
  return path
    .split(".")
    .toReversed()
    .reduce((inner: unknown, step) => {
      const name = step.replace("[]", "");
      return { [name]: name === step ? inner : [inner] };
    }, value);
}

const total = async (document: unknown) => {
  const body = bytesOf(JSON.stringify(document));
  return (await readThrough(streamed([body], "application/json"))).told[0]?.totalTokens;
};

test.for(Object.entries(USAGE_SHAPES))(
  "each number of %s is read at each of its places",
  async ([, { usage, beside = [], counts }]) => {
    for (const place of [...usage, ...beside]) {
      for (const [path, role] of Object.entries(counts)) {
        const told = withAt(path, role === "seconds" ? 50_000 / TOKENS_A_SECOND : 50_000);
        const document = place === "" ? told : withAt(place, told);
        const read = role === "part" ? undefined : 50_000;
        expect([place, path, await total(document)]).toEqual([place, path, read]);
      }
    }
  },
);

test("the guide names each API, and no other", () => {
  const guide = readFileSync("docs/llm.md", "utf8");
  const [, table] = guide.split(/^\| API .*\n.*\n/m);
  const names = table!
    .split("\n\n")[0]!
    .split("\n")
    .map((row) => row.split("|")[1]!.trim());
  expect(names).toEqual(Object.keys(USAGE_SHAPES));
});
