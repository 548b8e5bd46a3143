import type { DefaultTheme } from "vitepress";

/*
 * The theme writes these functions into the pages as text. They must not use anything outside of themselves.
 */

/** Pages that prove or measure what a guide says contain every word of it, and should not come first. */
function weighPage(id: string): number {
  const weights: Readonly<Record<string, number>> = {
    guarantees: 0.15,
    figures: 0.3,
    surge: 0.4,
    architecture: 0.5,
    admin: 0.6,
    options: 0.25,
  };
  if (id.endsWith("#why-you-can-trust-it")) return 1;
  const [page = ""] = id.replace(/^.*\/(?=[^/]+$)/, "").split(/(?:\.html)?(?:#|$)/);
  return weights[page] ?? 1;
}

/** Adds our word to that of a reader who knows the thing by another name, and leaves out words that stand everywhere. */
function addSynonyms(term: string): string | string[] | undefined {
  const everywhere =
    "a an and are can do does for how i in is it my of on or over per the to what with";
  const synonyms: Readonly<Record<string, string>> = {
    abuse: "denials",
    allowlist: "exempting",
    blacklist: "blocking",
    blocklist: "blocking",
    ban: "blocking",
    brute: "logins",
    cjs: "commonjs",
    ddos: "denials",
    denylist: "blocking",
    down: "outages",
    edge: "workers",
    fallback: "outages",
    geo: "regions",
    jest: "testing",
    k8s: "kubernetes",
    latency: "distance",
    lockout: "failures",
    middleware: "adapters",
    mock: "testing",
    monthly: "month",
    nextjs: "next",
    nginx: "proxy",
    offline: "outages",
    price: "costs",
    pricing: "costs",
    quota: "recipes",
    safelist: "exempting",
    slow: "latency",
    smooth: "bucket",
    spoof: "trusted",
    throttle: "limit",
    undo: "rollback",
    vitest: "testing",
    waf: "gateway",
    whitelist: "exempting",
    xff: "x-forwarded-for",
  };
  const word = term.toLowerCase();
  if (everywhere.split(" ").includes(word)) return undefined;
  const ours = synonyms[word];
  return ours === undefined ? word : [word, ours];
}

/** How the site's search ranks the sections of all pages; scripts/site/search.ts has what it must find. */
export const searchOptions: DefaultTheme.MiniSearchOptions["searchOptions"] = {
  boost: { title: 4, text: 2, titles: 3 },
  fuzzy: 0.15,
  prefix: true,
  boostDocument: weighPage,
  processTerm: addSynonyms,
};
