import type { PublishedDocument } from "../../store/control/records.ts";
import type { Call } from "../call.ts";

/** The published document, or else the deployed one, as version 0. */
export async function currentRules({ gateway, storage }: Call): Promise<PublishedDocument> {
  const published = await storage().rules();
  return published ?? { version: 0, publishedAtMs: 0, document: gateway.deployed };
}
