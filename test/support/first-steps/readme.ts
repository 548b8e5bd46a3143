import { codeBlocks } from "../docs/code-blocks.ts";

/** The README's first code block that has a text in it. */
export function readmeCode(text: string): string {
  const block = codeBlocks("README.md").find(({ code }) => code.includes(text));
  if (block === undefined) throw new Error(`the README shows nothing with: ${text}`);
  return block.code;
}
