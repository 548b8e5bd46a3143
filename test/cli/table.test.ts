import { expect, test } from "vitest";

import { table } from "../../packages/cli/src/output/table.ts";

test("a table of thousands of rows lines up from the first to the last", () => {
  const rows = Array.from({ length: 1_234 }, (_, i) => [`client ${10 ** (i % 7)}`, i, undefined]);
  const lines = table(["client", "n", "what"], rows).split("\n");
  expect(lines).toHaveLength(1_235);
  const ends = new Set(lines.map((line) => line.replace(/ +(?:-|what)$/, "").length));
  expect([...ends]).toEqual(["client 1000000  1233".length]);
  expect(lines.slice(1).map((line) => Number(/ (\d+) +-$/.exec(line)![1]))).toEqual(
    rows.map(([, n]) => n),
  );
});

test("a text of wide characters takes its columns", () => {
  expect(
    table(
      ["a", "b"],
      [
        ["日本", "x"],
        ["abcde", "y"],
      ],
    ).split("\n"),
  ).toEqual(["a      b", "日本   x", "abcde  y"]);
});

test("a table without rows is its head", () => {
  expect(table(["a", "b"], [])).toBe("a  b");
});
