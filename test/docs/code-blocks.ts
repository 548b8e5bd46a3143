import { readFileSync } from "node:fs";

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The line of the document on which it begins, for the test's name. */
  readonly line: number;
}

/** The fenced code blocks of a Markdown file. */
export function codeBlocks(file: string): readonly CodeBlock[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1]!,
    code: match[2]!,
    line: text.slice(0, match.index).split("\n").length,
  }));
}
