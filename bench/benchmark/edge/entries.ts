import { gzipSync } from "node:zlib";

import { dissect } from "../../support/bundle.ts";
import { atMost, type Figure } from "../figure.ts";

/**
 * The most bytes of each entry with all of its exports, minified and gzipped: a hundredth above its size when the number was last
 * set. A test refuses more, so that growth is a decision. A bundle is smaller: it has only the imported exports.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  ".": 75_650,
  "./hono": 27_710,
  "./express": 32_100,
  "./fastify": 28_400,
  "./vercel": 28_030,
  "./node": 6_230,
  "./cloudflare": 3_360,
  "./durable-object": 25_690,
  "./llm": 19_440,
  "./pacing": 12_790,
  "./prices": 7_770,
  "./express-rate-limit": 13_560,
  "./nest-throttler": 13_670,
  "./better-auth": 13_300,
  "./rate-limiter-flexible": 15_240,
  "./upstash-ratelimit": 35_460,
  "./jwt": 11_330,
  "./tracing": 2_350,
  "./admin": 64_300,
  "./gateway": 135_440,
  "./worker": 171_360,
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
