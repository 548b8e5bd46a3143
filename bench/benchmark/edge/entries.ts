import { gzipSync } from "node:zlib";

import { dissect } from "../../support/bundle.ts";
import { atMost, type Figure } from "../figure.ts";

/**
 * The most bytes of each entry with all of its exports, minified and gzipped: a twentieth above its size when the number was last
 * set. A test refuses more, so that growth is a decision. A bundle is smaller: it has only the imported exports.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  ".": 64_000,
  "./core": 67_600,
  "./hono": 59_100,
  "./express": 59_300,
  "./fastify": 59_500,
  "./vercel": 59_400,
  "./node": 2_000,
  "./cloudflare": 2_500,
  "./durable-object": 23_000,
  "./llm": 7_300,
  "./express-rate-limit": 28_500,
  "./nest-throttler": 23_000,
  "./better-auth": 20_800,
  "./rate-limiter-flexible": 31_100,
  "./upstash-ratelimit": 36_900,
  "./tracing": 2_300,
  "./admin": 112_500,
  "./gateway": 105_000,
  "./worker": 151_500,
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
