import type { Draft } from "../../store/control/records.ts";
import {
  type AdminRoute,
  auditedAction,
  type Call,
  ifMatch,
  isoTime,
  json,
  readSmallBody,
} from "../call.ts";
import { changesBetween } from "../changes.ts";
import { outdated, Refusal } from "../refusal.ts";
import type { DraftAnswer, SavedDraft } from "../rules-answers.ts";
import { checked, PublishBody, termsOf } from "../schemas.ts";
import { currentRules, requireNewest } from "./current.ts";
import { readDocument, soundDocument } from "./document.ts";
import { publish } from "./publish.ts";

async function save(call: Call): Promise<Response> {
  const based = ifMatch(call);
  const { document, text } = await readDocument(call);
  const current = await currentRules(call);
  const written = await call.storage().saveDraft(text, based, auditedAction(call, "draft"));
  if (!written.done) throw outdated(written.version);
  const { version: basedOn, atMs } = written;
  const changes = changesBetween(current.document, document);
  return json({ basedOn, savedAt: isoTime(atMs), changes } satisfies SavedDraft);
}

async function read(call: Call): Promise<Response> {
  const { basedOn, savedAt, by, document } = await keptDraft(call);
  return json({ basedOn, savedAt: isoTime(savedAt), by, document } satisfies DraftAnswer);
}

async function publishDraft(call: Call): Promise<Response> {
  const { note, ...terms } = checked(PublishBody, await readSmallBody(call));
  const based = ifMatch(call);
  const { basedOn, document } = await keptDraft(call);
  const current = await currentRules(call);
  requireNewest(current, basedOn);
  if (based !== undefined) requireNewest(current, based);
  // The gateway may have been deployed anew since the draft was checked.
  const sound = soundDocument(call, document);
  return publish(call, current, sound, { action: "publish-draft", note, terms: termsOf(terms) });
}

export async function keptDraft({ storage }: Call): Promise<Draft> {
  const draft = await storage().draft();
  if (!draft) throw new Refusal(404, "There is no draft.");
  return draft;
}

export const DRAFTS: readonly AdminRoute[] = [
  { method: "GET", path: "/rules/draft", writes: false, answer: read },
  { method: "PUT", path: "/rules/draft", writes: true, answer: save },
  { method: "POST", path: "/rules/draft", writes: true, answer: save },
  { method: "POST", path: "/rules/publish", writes: true, answer: publishDraft },
];
