import type { PublishedDocument } from "../../store/control/records.ts";
import { type Call, refresh } from "../call.ts";

/** The published document, or else the deployed one, as version 0. */
export async function currentRules(call: Call): Promise<PublishedDocument> {
  // Puts back what the store has lost of what this isolate holds.
  await refresh(call);
  const published = await call.storage().rules();
  return published ?? { version: 0, publishedAtMs: 0, document: call.gateway.deployed };
}
