import { gzipSync } from "node:zlib";

import { dissect } from "../../support/bundle.ts";
import { atMost, type Figure } from "../figure.ts";

/**
 * The most bytes of each entry with all of its exports, minified and gzipped: a hundredth above its size when the number was last
 * set. A test refuses more, so that growth is a decision. A bundle is smaller: it has only the imported exports.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  ".": 76_950,
  "./hono": 28_000,
  "./express": 32_500,
  "./fastify": 28_750,
  "./vercel": 28_300,
  "./node": 6_370,
  "./cloudflare": 3_400,
  "./durable-object": 25_800,
  "./llm": 19_370,
  "./pacing": 12_670,
  "./prices": 7_750,
  "./express-rate-limit": 13_500,
  "./nest-throttler": 13_760,
  "./better-auth": 13_250,
  "./rate-limiter-flexible": 15_170,
  "./upstash-ratelimit": 35_800,
  "./jwt": 11_200,
  "./tracing": 2_465,
  "./admin": 64_300,
  "./gateway": 136_400,
  "./worker": 172_500,
};

/** A peer of Node alone, which no bundler for the edge takes. */
const OF_NODE = ["rate-limiter-flexible"];

/** Each entry with all of its exports, and the code of other packages that is in it. */
export async function measureEntries(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [entry, budget] of Object.entries(BUDGETS)) {
    const file = `./src/${entry === "." ? "index" : entry.slice(2)}.ts`;
    const fallback = entry === "./worker" ? `export { default } from "${file}";` : "";
    const { text, foreign } = await dissect(`export * from "${file}"; ${fallback}`, OF_NODE);
    const name = entry.replace(".", "tidegate");
    figures.push({
      name: `${name}, all of it, gzipped`,
      unit: "bytes",
      tidegate: gzipSync(text, { level: 9 }).length,
      target: atMost(budget, "tidegate"),
      detail: true,
    });
    for (const [other, size] of Object.entries(foreign).toSorted()) {
      figures.push({
        name: `${name}, code of ${other}, minified`,
        unit: "bytes",
        tidegate: size,
        detail: true,
      });
    }
  }
  return figures;
}
