import type { DefaultTheme } from "vitepress";

export const NAV: DefaultTheme.NavItem[] = [
  { text: "Start", link: "/start" },
  { text: "Algorithms", link: "/algorithms" },
  { text: "Recipes", link: "/recipes" },
  { text: "Options", link: "/options" },
  { text: "Guarantees", link: "/guarantees" },
  { text: "Figures", link: "/figures" },
];

type Page = readonly [text: string, path: string];

const group = (text: string, pages: readonly Page[], collapsed: boolean) => ({
  text,
  collapsed,
  items: pages.map(([title, path]) => ({ text: title, link: `/${path}` })),
});

/** Every page; test/docs/site.test.ts looks whether one is missing. */
export const SIDEBAR: DefaultTheme.SidebarItem[] = [
  group(
    "Begin",
    [
      ["Start in a minute", "start"],
      ["Choosing an algorithm", "algorithms"],
      ["Recipes", "recipes"],
      ["Examples", "examples"],
    ],
    false,
  ),
  group(
    "Where it runs",
    [
      ["The gateway", "gateway"],
      ["The library", "library"],
      ["Hono", "hono"],
      ["Vercel and Next", "vercel"],
      ["Node servers", "node"],
      ["Durable Objects", "durable-objects"],
      ["What a decision costs", "costs"],
      ["The bridge to Redis", "bridge"],
      ["The local stack", "local-stack"],
    ],
    false,
  ),
  group(
    "Limits",
    [
      ["Identities", "identities"],
      ["Costs known late", "late-costs"],
      ["Tokens of language models", "llm"],
      ["Agents: tools and models", "agents"],
      ["Pacing towards providers", "pacing"],
      ["Hot keys", "hot-keys"],
      ["Regions", "regions"],
      ["Notices before a limit", "notices"],
      ["Testing your code", "testing"],
    ],
    false,
  ),
  group(
    "Moving",
    [
      ["@upstash/ratelimit", "moving/upstash-ratelimit"],
      ["express-rate-limit, hono-rate-limiter", "moving/express-rate-limit"],
      ["rate-limiter-flexible", "moving/rate-limiter-flexible"],
      ["Nest's throttler", "moving/nest-throttler"],
      ["better-auth", "moving/better-auth"],
      ["Cloudflare's binding", "moving/cloudflare-binding"],
    ],
    false,
  ),
  group(
    "Operations",
    [
      ["On call", "on-call"],
      ["Upgrades and rollbacks", "operations"],
      ["Redis and the doctor", "redis"],
      ["Outages", "outages"],
      ["Live rules", "live-rules"],
      ["The dashboard", "dashboard"],
      ["Metrics", "metrics"],
      ["Security", "security"],
    ],
    false,
  ),
  group(
    "Reference",
    [
      ["Options", "options"],
      ["Command line", "cli"],
      ["Admin API", "admin"],
      ["Architecture", "architecture"],
    ],
    false,
  ),
  group(
    "Guarantees and figures",
    [
      ["Guarantees", "guarantees"],
      ["Figures", "figures"],
      ["The surge", "surge"],
    ],
    false,
  ),
];
