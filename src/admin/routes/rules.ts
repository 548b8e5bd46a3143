import type { PublishedTrial } from "../../store/control/records.ts";
import { newestOf, type TrialTerms } from "../../store/control/trial.ts";
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
import { checked, TermsQuery, termsOf } from "../schemas.ts";
import { currentRules, requireNewest } from "./current.ts";
import { readDocument } from "./document.ts";
import { checkNote, countsAnewBy, leftOutBy, publish } from "./publish.ts";

const BROKEN =
  "Redis has no document for this version. Publish one over it, or roll back; GET /rules?held has what an isolate still enforces.";

async function read(call: Call): Promise<Response> {
  if (hasFlag(call, "held")) return json(call.gateway.held() satisfies RulesAnswer);
  const current = await currentRules(call);
  const { version, publishedAtMs, by, document, trial } = current;
  const published = version > 0 && { publishedAt: isoTime(publishedAtMs), by };
  const source = version > 0 ? "live" : "deployed";
  const found = document === undefined ? { document: null, error: BROKEN } : { document };
  const tried = trial && { trial: shownTrial(trial) };
  const answer = { version, ...published, source, ...found, ...tried } satisfies RulesAnswer;
  return json(answer, { ETag: `"${newestOf(current)}"` });
}

function shownTrial({
  publishedAtMs,
  ...trial
}: PublishedTrial): NonNullable<RulesAnswer["trial"]> {
  return { publishedAt: isoTime(publishedAtMs), ...trial };
}

async function replace(call: Call): Promise<Response> {
  const dryRun = hasFlag(call, "dry-run");
  const based = ifMatch(call);
  if (based === undefined && !dryRun) {
    throw new Refusal(428, 'Say which version this replaces: If-Match: "7", the ETag of GET.');
  }
  const note = checkNote(call.query.get("note"));
  const terms = termsIn(call.query);
  const sound = await readDocument(call);
  const current = await currentRules(call);
  const { version } = current;
  if (based !== undefined) requireNewest(current, based);
  if (!dryRun) return publish(call, current, sound, { action: "publish", note, terms });
  const changes = changesBetween(current.document, sound.document);
  const leftOut = leftOutBy(call, sound.document);
  const anew = countsAnewBy(call, current.document, sound.document);
  return json({ version, changes, ...leftOut, ...anew, dryRun: true } satisfies DryRun);
}

/** Takes the published document back on purpose, so that no isolate puts it back. */
async function withdraw(call: Call): Promise<Response> {
  const based = ifMatch(call);
  if (based === undefined) {
    throw new Refusal(428, 'Say which version is withdrawn: If-Match: "7", the ETag of GET.');
  }
  const current = await currentRules(call);
  const { version } = current;
  if (version === 0) throw new Refusal(404, "Nothing is published that could be withdrawn.");
  requireNewest(current, based);
  const audited = auditedAction(call, `withdraw ${version}`);
  const written = await call.storage().withdraw(based, audited);
  if (!written.done) throw outdated(written.version);
  await refresh(call);
  return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
}

function termsIn(query: URLSearchParams): TrialTerms | undefined {
  const numberOf = (name: string) => {
    const text = query.get(name);
    return text === null ? undefined : Number(text === "" ? NaN : text);
  };
  const [percent, maxDenied] = [numberOf("percent"), numberOf("max-denied")];
  return termsOf(checked(TermsQuery, { percent, maxDenied }));
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
  {
    method: "PUT",
    path: "/rules",
    writes: true,
    query: ["dry-run", "note", "percent", "max-denied"],
    answer: replace,
  },
  { method: "DELETE", path: "/rules", writes: true, answer: withdraw },
];
