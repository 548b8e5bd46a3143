import type { PublishedDocument, PublishedTrial } from "../../store/control/records.ts";
import {
  type AdminRoute,
  auditedAction,
  type Call,
  ifMatch,
  isoTime,
  json,
  readSmallBody,
  refresh,
} from "../call.ts";
import { changesBetween } from "../changes.ts";
import { outdated, Refusal } from "../refusal.ts";
import type { Published } from "../rules-answers.ts";
import { checked, TrialBody } from "../schemas.ts";
import { currentRules } from "./current.ts";
import { countsAnewBy, leftOutBy } from "./publish.ts";

async function raise(call: Call): Promise<Response> {
  const { percent } = checked(TrialBody, await readSmallBody(call));
  const based = ifMatch(call);
  const current = await currentRules(call);
  const { trial } = current;
  if (!trial) throw new Refusal(404, "No version is tried on a part of the clients.");
  if (based !== undefined && based !== trial.version) throw outdated(trial.version);
  return give(call, { ...current, trial }, percent);
}

/** Gives the version that is tried to a part of the clients, to all of them, or with 0 to none. */
export async function give(
  call: Call,
  { document: published, trial }: PublishedDocument & { readonly trial: PublishedTrial },
  percent: number,
  note?: string,
): Promise<Response> {
  const storage = call.storage();
  const { version: tried } = trial;
  const document = (await storage.version(tried))?.document;
  const { counts: _, ...terms } = trial;
  const action = percent === 0 ? `take back ${tried}` : `give ${tried} to ${percent} percent`;
  // A version keeps the note with which it was published.
  const noted = note ? { changes: [{ type: "added", path: "note", after: note }] as const } : {};
  const audited = auditedAction(call, action, noted);
  const written = await storage.changeTrial({ ...terms, percent }, audited);
  if (!written.done) throw outdated(written.version);
  await refresh(call);
  const { version, atMs } = written;
  const [before, after] = percent === 0 ? [document, published] : [published, document];
  const answer = {
    version,
    publishedAt: isoTime(atMs),
    changes: changesBetween(before, after),
    ...leftOutBy(call, after),
    ...countsAnewBy(call, before, after),
    ...(percent === 0 && { takenBack: tried }),
  } satisfies Published;
  return json(answer, { ETag: `"${version}"` });
}

export const TRIAL: readonly AdminRoute[] = [
  { method: "PUT", path: "/rules/trial", writes: true, answer: raise },
];
