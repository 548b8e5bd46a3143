import { posix } from "node:path";

import type { MarkdownRenderer } from "vitepress";

const REPOSITORY = "https://github.com/tidegate/tidegate/blob/main/";

/** Leads links out of docs, which work on GitHub, to the file on GitHub from the site, too. */
export function linkSources(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push("link-sources", (state) => {
    const { relativePath = "" } = state.env as { readonly relativePath?: string };
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href?.startsWith("../")) token.attrSet("href", targetOf(href, relativePath));
      }
    }
  });
}

function targetOf(href: string, page: string): string {
  const path = posix.join("docs", posix.dirname(page), href);
  return path.startsWith("docs/") ? href : REPOSITORY + path;
}
