// Builds docs/llms.txt, a list of the documents for programs that read: each with its title and its first sentence. `--check`
// writes nothing and fails if the committed list is stale.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { writeOrCheck } from "../support/built-files.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const GROUPS: Readonly<Record<string, string>> = {
  Documents: "docs/*.md",
  "Moving from another library": "docs/moving/*.md",
};

/** The line of a document: its title as a link, and its first sentence. */
function lineOf(file: string): string {
  const text = readFileSync(file, "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  const [, title = ""] = /^# (.+)$/m.exec(text) ?? [];
  const paragraphs = text.split(/\n{2,}/).map((each) => each.replaceAll(/\s+/g, " ").trim());
  const first = paragraphs.find((each) => /^[A-Z`@[]/.test(each)) ?? "";
  const [sentence = first] = /^.+?[.:](?= |$)/.exec(first) ?? [];
  const plain = sentence.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/:$/, ".");
  return `- [${title}](${file.replace("docs/", "")}): ${plain}`;
}

const { description } = JSON.parse(readFileSync("package.json", "utf8")) as { description: string };
const groups = Object.entries(GROUPS).map(
  ([name, pattern]) => `## ${name}\n\n${globSync(pattern).sort().map(lineOf).join("\n")}\n`,
);
const built = [`# Tidegate\n\n> ${description}\n`, ...groups].join("\n");
writeOrCheck("build:llms", { "docs/llms.txt": built });
