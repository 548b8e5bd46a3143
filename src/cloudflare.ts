/**
 * Features that need Cloudflare: `import { coloDenials } from "tidegate/cloudflare"`. It is for Workers; elsewhere, as
 * in a unit test in Node, it can be imported, and isolates share no denials.
 *
 * @module
 */

import { waitUntil } from "#bindings";

import type { Limiter } from "./decide/limiter-types.ts";
import { shareDenials } from "./features/shared-denials-feature.ts";
import type { SharedCache, SharedDenials } from "./features/shared-denials.ts";
import { hash } from "./partition/key-text.ts";

/**
 * Denials shared by all isolates of a Cloudflare data centre, through its Cache API. On workers.dev, where this API
 * stores no entries, isolates share no denials.
 *
 * @param name Limiters of one zone that count in different Redis databases need different names.
 * @example
 * createLimiter({
 *   policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
 *   sharedDenials: coloDenials(),
 * });
 */
export function coloDenials(name = "tidegate"): SharedDenials {
  return shareDenials(coloCache(name));
}

/**
 * The Cache API of a Cloudflare data centre as a cache that isolates share: through it the gateway reads live rules
 * once for all of them.
 *
 * @param name Caches of one zone with different names share no entries.
 * @example
 * export default createGateway(env, { coloDenials, coloCache, admin });
 */
export function coloCache(name = "tidegate"): SharedCache {
  // Hashed, because a key may identify a client, and addresses are logged.
  const addressOf = async (key: string) =>
    `https://tidegate.invalid/${await hash(JSON.stringify([name, key]))}`;

  return {
    async get(key) {
      const found = await defaultCache()?.match(await addressOf(key));
      return found?.text();
    },

    put(key, text, seconds) {
      const response = new Response(text, { headers: { "Cache-Control": `max-age=${seconds}` } });
      const kept = addressOf(key).then((address) => defaultCache()?.put(address, response));
      // No request waits for this. A write that fails only costs another call of Redis.
      waitUntil(kept.catch(() => {}));
    },
  };
}

/** The method of a Cloudflare rate limiting binding that code calls: `env.LIMITER.limit({ key })`. */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ success: boolean }>;
}

/**
 * A limiter in the shape of Cloudflare's rate limiting binding, for code that calls `limit({ key })`. The binding counts in each
 * location, by 10 or 60 seconds; the limiter counts for all of them, by its own policies.
 *
 * @param limiter whose policies have no `by`
 * @example
 * const binding = rateLimitBinding(createLimiter({ policies }));
 * const { success } = await binding.limit({ key: "user:42" });
 */
export function rateLimitBinding(limiter: Pick<Limiter, "limit">): RateLimitBinding {
  return {
    async limit({ key }) {
      const { allowed } = await limiter.limit(key);
      return { success: allowed };
    },
  };
}

/** Only Workers have a default cache. */
function defaultCache(): Cache | undefined {
  const { caches } = globalThis as { caches?: CacheStorage & { readonly default?: Cache } };
  return caches?.default;
}
