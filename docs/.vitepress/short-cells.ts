import type { MarkdownRenderer } from "vitepress";

/** Holds "1.09 times" and "849 of 1,000"; a name of an option may be longer. */
const MAX_SHORT = 14;

/** Marks cells of a few characters, such as figures, so that their columns need not be as wide as those of texts. */
export function markShortCells(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push("short-cells", ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type !== "td_open" && token.type !== "th_open") return;
      if ((tokens[at + 1]?.content.length ?? 0) <= MAX_SHORT) token.attrJoin("class", "short");
    });
  });
}
