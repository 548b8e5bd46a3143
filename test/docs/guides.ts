import { type CodeBlock, codeBlocks } from "./code-blocks.ts";

/** The README, and the pages that it leads a newcomer to. */
const GUIDES = [
  "README.md",
  "docs/library.md",
  "docs/late-costs.md",
  "docs/hono.md",
  "docs/vercel.md",
  "docs/gateway.md",
  "docs/hot-keys.md",
  "docs/regions.md",
  "docs/local-stack.md",
  "docs/bridge.md",
  "docs/live-rules.md",
  "docs/start.md",
] as const;

export interface GuideBlock extends CodeBlock {
  readonly document: string;
  /** A file for the block alone. */
  readonly file: string;
}

/** The code blocks of the guides in a language. */
export function guideBlocks(language: string): readonly GuideBlock[] {
  return GUIDES.flatMap((document) =>
    codeBlocks(document)
      .filter((block) => block.language === language)
      .map((block) => {
        const file = `${document.replaceAll(/\W/g, "-")}-${block.line}.${language}`;
        return Object.assign(block, { document, file });
      }),
  );
}

/** The guides' first code block that has a text in it. */
export function guideCode(text: string): string {
  const found = GUIDES.flatMap(codeBlocks).find(({ code }) => code.includes(text));
  if (found === undefined) throw new Error(`the guides show nothing with: ${text}`);
  return found.code;
}
