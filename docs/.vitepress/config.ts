import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitepress";

import manifest from "../../package.json" with { type: "json" };
import { type Repository, sourceAddress } from "../../scripts/support/source-address.ts";
import { linkSources } from "./link-sources.ts";
import { LOGO } from "./logo.ts";
import { NAV, SIDEBAR } from "./navigation.ts";
import { searchOptions } from "./search.ts";
import { markShortCells } from "./short-cells.ts";

const docs = fileURLToPath(new URL("..", import.meta.url));
const root = join(docs, "..");
const address = sourceAddress(manifest as { readonly repository?: Repository });

export default defineConfig({
  title: "Tidegate",
  description: "A rate limiter for the edge and for servers.",
  lang: "en",
  // The path under which a host serves it, such as "/tidegate/".
  base: process.env["SITE_BASE"] ?? "/",
  outDir: join(root, "dist/site"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  head: [
    ["meta", { name: "color-scheme", content: "light dark" }],
    ["link", { rel: "icon", href: LOGO }],
  ],
  markdown: {
    config(renderer) {
      linkSources(renderer, address);
      markShortCells(renderer);
    },
    // As GitHub makes them: the pages link to each other's headings in both places.
    anchor: { slugify: githubSlug },
  },
  themeConfig: {
    logo: { src: LOGO, alt: "" },
    nav: NAV,
    sidebar: SIDEBAR,
    outline: { level: [2, 3] },
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    socialLinks: address === undefined ? [] : [{ icon: "git", link: address }],
  },
  vite: {
    publicDir: false,
    // Pages show pictures of bench, and the playground runs src.
    server: { fs: { allow: [root] } },
  },
  buildEnd({ outDir }) {
    // Schemas and the description of the API, which pages link to.
    for (const file of globSync("*.json", { cwd: docs })) {
      cpSync(join(docs, file), join(outDir, file));
    }
  },
});

function githubSlug(heading: string): string {
  return heading
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
