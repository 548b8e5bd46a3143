import type { PublishedDocument } from "../../store/control/records.ts";
import { newestOf } from "../../store/control/trial.ts";
import { type Call, refresh } from "../call.ts";
import { onTrial, outdated } from "../refusal.ts";

/** The published document, or else the deployed one, as version 0. */
export async function currentRules(call: Call): Promise<PublishedDocument> {
  // Puts back what the store has lost of what this isolate holds.
  await refresh(call);
  const published = await call.storage().rules();
  if (published && published.version > 0) return published;
  return {
    version: 0,
    publishedAtMs: 0,
    document: call.gateway.deployed,
    ...(published?.trial && { trial: published.trial }),
  };
}

/** @throws Refusal if a change is based on an older version */
export function requireNewest(current: PublishedDocument, based: number): void {
  const newest = newestOf(current);
  if (based === newest) return;
  throw current.trial ? onTrial(current.trial) : outdated(newest);
}
