import { posix } from "node:path";

import type { MarkdownRenderer } from "vitepress";

import { pageOf } from "../../scripts/support/source-address.ts";

/**
 * Leads links out of docs, which work between files, to the pages of the files at the source's address from the site, too. While
 * the source has no address, the site shows their text alone.
 */
export function linkSources(renderer: MarkdownRenderer, address: string | undefined): void {
  renderer.core.ruler.push("link-sources", (state) => {
    const { relativePath = "" } = state.env as { readonly relativePath?: string };
    for (const block of state.tokens) {
      let isDropped = false;
      block.children = (block.children ?? []).filter((token) => {
        if (token.type === "link_close" && isDropped) {
          isDropped = false;
          return false;
        }
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        const file = href?.startsWith("../") ? fileOf(href, relativePath) : undefined;
        if (file === undefined) return true;
        if (address !== undefined) token.attrSet("href", pageOf(file, address));
        else isDropped = true;
        return address !== undefined;
      });
    }
  });
}

/** The file outside of docs that a page links to. */
function fileOf(href: string, page: string): string | undefined {
  const path = posix.join("docs", posix.dirname(page), href.replace(/#.*$/, ""));
  return path.startsWith("docs/") ? undefined : path;
}
