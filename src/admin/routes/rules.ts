import { type Call, ifMatch, isoTime, json, type Route } from "../call.ts";
import { changesBetween } from "../changes.ts";
import { outdated, Refusal } from "../refusal.ts";
import { currentRules } from "./current.ts";
import { readDocument } from "./document.ts";
import { checkNote, publish } from "./publish.ts";

async function read(call: Call): Promise<Response> {
  const { version, publishedAtMs, by, document } = await currentRules(call);
  const published = version > 0 && { publishedAt: isoTime(publishedAtMs), by };
  const source = version > 0 ? "live" : "deployed";
  return json({ version, ...published, source, document }, { ETag: `"${version}"` });
}

async function replace(call: Call): Promise<Response> {
  const dryRun = isDryRun(call);
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
  return json({ version, changes, dryRun: true });
}

/** Anything else than a plain yes may be meant as a no, and would not be one. */
function isDryRun({ query }: Call): boolean {
  const value = query.get("dry-run");
  if (value === null) return false;
  if (value === "" || value === "true") return true;
  throw new Refusal(400, "Give dry-run without a value, or leave it out.");
}

export const RULES: readonly Route[] = [
  { method: "GET", path: "/rules", writes: false, answer: read },
  { method: "PUT", path: "/rules", writes: true, query: ["dry-run", "note"], answer: replace },
];
