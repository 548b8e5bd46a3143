import { expect, test } from "vitest";

import { exitCodeOf } from "../../scripts/support/program.ts";
import { runHere } from "../support/run-here.ts";
import { WRITTEN } from "./mutants.ts";
import { mutantsProgram } from "./program.ts";

const called = (...args: readonly string[]) =>
  runHere(async () => {
    process.exitCode = await exitCodeOf(mutantsProgram(), args);
  });

const lines = (text: string) => text.split("\n").filter(Boolean);

test("names every mutant that is written by hand, or those of a part", async () => {
  const { exit, out } = await called("--list");
  expect([exit, lines(out)]).toEqual([0, WRITTEN.map(({ name }) => name)]);
  const [first] = lines(out);
  expect(lines((await called("--list", first!)).out)).toEqual([first]);
});

test("shards have each mutant once, and a sample as many as are asked for", async () => {
  const all = lines((await called("--list")).out);
  const shards = ["1/3", "2/3", "3/3"].map((shard) => called("--list", "--shard", shard));
  const parts = (await Promise.all(shards)).flatMap(({ out }) => lines(out));
  expect(parts.toSorted()).toEqual(all.toSorted());
  expect(lines((await called("--list", "--sample", "5")).out)).toHaveLength(5);
});

test.each([
  [["nowhere to be found"], 1, `error: no mutant's name or file has "nowhere to be found"\n`],
  [["--shard", "4/3"], 2, "such as 1/3"],
  [["--sample", "some"], 2, "a whole"],
  [["--at-least", "0"], 2, "above 0"],
  [["--generatd"], 2, "Did you mean --generated?"],
])("%s is refused", async (args, code, message) => {
  const { exit, out, err } = await called(...args);
  expect([exit, out]).toEqual([code, ""]);
  expect(err).toContain(message);
});
