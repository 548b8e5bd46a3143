import {
  type AdminRoute,
  auditedAction,
  type Call,
  ifMatch,
  isoTime,
  json,
  refresh,
} from "../call.ts";
import { changesBetween } from "../changes.ts";
import { outdated, Refusal } from "../refusal.ts";
import type { DryRun, RulesAnswer } from "../rules-answers.ts";
import { currentRules } from "./current.ts";
import { readDocument } from "./document.ts";
import { checkNote, leftOutBy, publish } from "./publish.ts";

const BROKEN =
  "Redis has no document for this version. Publish one over it, or roll back; GET /rules?held has what an isolate still enforces.";

async function read(call: Call): Promise<Response> {
  if (hasFlag(call, "held")) return json(call.gateway.held() satisfies RulesAnswer);
  const { version, publishedAtMs, by, document } = await currentRules(call);
  const published = version > 0 && { publishedAt: isoTime(publishedAtMs), by };
  const source = version > 0 ? "live" : "deployed";
  const found = document === undefined ? { document: null, error: BROKEN } : { document };
  const answer = { version, ...published, source, ...found } satisfies RulesAnswer;
  return json(answer, { ETag: `"${version}"` });
}

async function replace(call: Call): Promise<Response> {
  const dryRun = hasFlag(call, "dry-run");
  const based = ifMatch(call);
  if (based === undefined && !dryRun) {
    throw new Refusal(428, 'Say which version this replaces: If-Match: "7", the ETag of GET.');
  }
  const note = checkNote(call.query.get("note"));
  const sound = await readDocument(call);
  const current = await currentRules(call);
  const { version } = current;
  if (based !== undefined && based !== version) throw outdated(version);
  if (!dryRun) return publish(call, current, sound, { action: "publish", note });
  const changes = changesBetween(current.document, sound.document);
  const leftOut = leftOutBy(call, sound.document);
  return json({ version, changes, ...leftOut, dryRun: true } satisfies DryRun);
}

/** Takes the published document back on purpose, so that no isolate puts it back. */
async function withdraw(call: Call): Promise<Response> {
  const based = ifMatch(call);
  if (based === undefined) {
    throw new Refusal(428, 'Say which version is withdrawn: If-Match: "7", the ETag of GET.');
  }
  const { version } = await currentRules(call);
  if (version === 0) throw new Refusal(404, "Nothing is published that could be withdrawn.");
  if (based !== version) throw outdated(version);
  const audited = auditedAction(call, `withdraw ${version}`);
  const written = await call.storage().withdraw(version, audited);
  if (!written.done) throw outdated(written.version);
  await refresh(call);
  return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
}

/** Anything else than a plain yes may be meant as a no, and would not be one. */
function hasFlag({ query }: Call, name: string): boolean {
  const value = query.get(name);
  if (value === null) return false;
  if (value === "" || value === "true") return true;
  throw new Refusal(400, `Give ${name} without a value, or leave it out.`);
}

export const RULES: readonly AdminRoute[] = [
  { method: "GET", path: "/rules", writes: false, query: ["held"], answer: read },
  { method: "PUT", path: "/rules", writes: true, query: ["dry-run", "note"], answer: replace },
  { method: "DELETE", path: "/rules", writes: true, answer: withdraw },
];
