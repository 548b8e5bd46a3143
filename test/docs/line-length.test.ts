import { readdirSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

/** The line length that a window beside another one shows. Written at 120; an edit may add a few words to a line. */
const MOST = 150;

const documents = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".md"),
);

/** Lines of text: no code, no rows of tables, no pictures. */
function proseOf(text: string): readonly string[] {
  const withoutCode = text.replaceAll(/^( *)```[^]*?^\1```$/gm, "");
  return withoutCode.split("\n").filter((line) => !/^(\||!\[)/.test(line));
}

// In guarantees.md a promise is one line each.
test.each(documents.filter((file) => file !== "guarantees.md"))(
  "docs/%s has no overlong line",
  (file) => {
    const prose = proseOf(readFileSync(`docs/${file}`, "utf8"));
    expect(prose.join("").length).toBeGreaterThan(100);
    expect(prose.filter((line) => line.length > MOST)).toEqual([]);
  },
);

test("the README is short, and how to try and test the project stands on its first screen", () => {
  const lines = readFileSync("README.md", "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(250);
  const first = lines.slice(0, 40);
  const commands = ["npm ci && npm start", "npm ci && npm test"];
  expect(commands.filter((command) => !first.includes(command))).toEqual([]);
});
