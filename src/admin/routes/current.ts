import type { Call } from "../call.ts";
import type { Published } from "../storage/records.ts";

/** What is published, or else deployed, as version 0. */
export async function currentRules({ gateway, storage }: Call): Promise<Published> {
  const published = await storage().rules();
  return published ?? { version: 0, publishedAtMs: 0, document: gateway.deployed };
}
