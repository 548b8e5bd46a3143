import type { PublishedDocument } from "../../store/control/records.ts";
import { newestOf, type TrialTerms } from "../../store/control/trial.ts";
import { auditedAction, type Call, isoTime, json, refresh } from "../call.ts";
import { changesBetween, keptChanges } from "../changes.ts";
import { outdated, Refusal } from "../refusal.ts";
import type { Published } from "../rules-answers.ts";
import { MAX_NOTE } from "../schemas.ts";
import type { SoundDocument } from "./document.ts";

/** A note for the history, checked. */
export function checkNote(note: string | null | undefined): string | undefined {
  if (note === null || note === undefined || note === "") return undefined;
  if (note.length <= MAX_NOTE) return note;
  throw new Refusal(400, `Give a note of at most ${MAX_NOTE} characters.`);
}

/** How a document is published. */
interface Publication {
  readonly action: string;
  readonly note: string | undefined;
  /** The terms of a trial, which only a part of the clients gets. */
  readonly terms?: TrialTerms | undefined;
}

/** Publishes a document in place of its base version, or beside it, and reports the changes. */
export async function publish(
  call: Call,
  current: PublishedDocument,
  { document, text }: SoundDocument,
  { action, note, terms }: Publication,
): Promise<Response> {
  const changes = changesBetween(current.document, document);
  // Before the refresh, while both are compiled.
  const anew = countsAnewBy(call, current.document, document);
  const based = { on: newestOf(current), known: newestOf(call.gateway.enforced()) };
  const to = terms ? ` to ${terms.percent} percent` : "";
  const audited = auditedAction(call, action + to, keptChanges(changes));
  const written = await call.storage().publish(text, based, audited, note, terms);
  if (!written.done) throw outdated(written.version);
  await refresh(call);
  const { version, atMs } = written;
  const answer = {
    version,
    publishedAt: isoTime(atMs),
    changes,
    ...leftOutBy(call, document),
    ...anew,
  } satisfies Published;
  return json(answer, { ETag: `"${version}"` });
}

/**
 * How many entries by single calls a document leaves out of force, such as overrides of a policy that it lacks. Call
 * `refresh()` before: another isolate may have put some.
 */
export function leftOutBy({ gateway }: Call, document: unknown): { readonly leftOut?: number } {
  const leftOut = gateway.leftOutBy(document);
  return leftOut > 0 ? { leftOut } : {};
}

/** The unnamed policies whose counts begin anew, because their names contain the numbers that change. */
export function countsAnewBy(
  { gateway }: Call,
  before: unknown,
  after: unknown,
): { readonly countsAnew?: readonly string[] } {
  const countsAnew = gateway.renamedBy(before, after);
  return countsAnew.length > 0 ? { countsAnew } : {};
}
