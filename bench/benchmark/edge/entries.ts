import { gzipSync } from "node:zlib";

import { dissect } from "../../support/bundle.ts";
import { atMost, type Figure } from "../figure.ts";

/**
 * The most bytes of each entry with all of its exports, minified and gzipped: a hundredth above its size when the number was last
 * set. A test refuses more, so that growth is a decision. A bundle is smaller: it has only the imported exports.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  ".": 65_900,
  "./core": 69_300,
  "./hono": 61_500,
  "./express": 62_600,
  "./fastify": 62_000,
  "./vercel": 61_700,
  "./node": 2_800,
  "./cloudflare": 2_300,
  "./durable-object": 23_300,
  "./llm": 11_800,
  "./express-rate-limit": 28_300,
  "./nest-throttler": 22_900,
  "./better-auth": 20_600,
  "./rate-limiter-flexible": 31_100,
  "./upstash-ratelimit": 38_300,
  "./tracing": 2_300,
  "./admin": 115_300,
  "./gateway": 109_000,
  "./worker": 157_200,
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
