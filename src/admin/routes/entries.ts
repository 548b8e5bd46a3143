import { parseMoment } from "../../options/moment.ts";
import { isRecord } from "../../options/record.ts";
import type { EntryKind } from "../../store/control/live-state.ts";
import type { KeptEntry } from "../../store/control/records.ts";
import { MAX_ENTRIES, MAX_ENTRIES_BYTES } from "../../store/control/storage.ts";
import {
  type AdminRoute,
  auditedAction,
  type Call,
  isoTime,
  json,
  readSmallBody,
  refresh,
} from "../call.ts";
import { keptChanges } from "../changes.ts";
import type { Entries, KeptEntry as AnsweredEntry, PutOverride } from "../entry-answers.ts";
import { ID, idOf, namesOf } from "../entry-names.ts";
import { faulty, outdated, Refusal } from "../refusal.ts";
import { lastsMs } from "../schemas.ts";
import { currentRules } from "./current.ts";
import { scopeOf } from "./override-scope.ts";

/*
 * Entries that single calls put and remove: of the two lists, and overrides. They count beside those of the document, which
 * only a new document changes.
 */

type Entry = Readonly<Record<string, unknown>>;

/** More than any entry needs. */
const MAX_ENTRY_CHARACTERS = 2_000;

/** The document's place for such entries. */
const PATHS: Readonly<Record<EntryKind, string>> = {
  allow: "lists.allow",
  deny: "lists.deny",
  override: "overrides",
};

function entriesOf(kind: EntryKind, document: unknown): readonly Entry[] {
  const { lists, overrides } = Object(document) as { lists?: unknown; overrides?: unknown };
  const found =
    kind === "override" ? overrides : (Object(lists) as Readonly<Record<string, unknown>>)[kind];
  return Array.isArray(found) ? found.filter((entry) => isRecord(entry)) : [];
}

/** An entry with its end as answers have it. */
export function shown({ until, ...entry }: Entry): Entry {
  const untilMs = parseMoment(until);
  return untilMs === undefined ? entry : { ...entry, until: isoTime(untilMs) };
}

async function list(kind: EntryKind, call: Call): Promise<Response> {
  // The rules of this isolate, now read, tell which entries are in force.
  const { document } = await currentRules(call);
  const kept = await call.storage().entries(kind);
  const nowMs = Date.now();
  return json({
    entries: [
      ...entriesOf(kind, document).map(fromDocument),
      // Those that have ended are forgotten by the next write.
      ...kept
        .filter(({ entry }) => (parseMoment(entry["until"]) ?? Infinity) > nowMs)
        .map(byCall)
        .map((entry) => (call.gateway.isLeftOut(kind, entry.id) ? outOfForce(entry) : entry)),
    ],
  } satisfies Entries);
}

function fromDocument(entry: Entry) {
  return { ...shown(entry), source: "document" } as const satisfies AnsweredEntry;
}

function byCall({ id, entry, at, by }: KeptEntry & { readonly id: string }) {
  return {
    id,
    ...shown(entry),
    at: isoTime(at),
    by,
    source: "call",
  } as const satisfies AnsweredEntry;
}

function outOfForce(entry: ReturnType<typeof byCall>): AnsweredEntry {
  return { ...entry, inForce: false };
}

/** The entry in the body of a request, checked. Its end comes first, where the scripts look for it. */
function readEntry(kind: EntryKind, { gateway }: Call, body: unknown): Entry {
  if (!isRecord(body)) throw new Refusal(400, "Send an entry: a JSON object.");
  const { for: lasts, until, ...names } = body;
  if (lasts !== undefined && until !== undefined) {
    const remedy = "Give either for or until.";
    throw faulty([
      { path: "for", code: "conflict", value: JSON.stringify(lasts).slice(0, 60), remedy },
    ]);
  }
  const ends = lasts === undefined ? until : Date.now() + lastsMs(lasts);
  const fullEntry = ends === undefined ? names : { ...names, until: ends };
  const faults = gateway.checkEntry(kind, fullEntry);
  if (faults.length > 0) throw faulty(faults);
  const untilMs = parseMoment(ends);
  const entry = untilMs === undefined ? names : { until: Math.floor(untilMs), ...names };
  if (JSON.stringify(entry).length <= MAX_ENTRY_CHARACTERS) return entry;
  throw new Refusal(413, `Send an entry of at most ${MAX_ENTRY_CHARACTERS} characters.`);
}

/** The entry that a body names. For an override, the client is enough: its numbers need not be known to remove it. */
function readName(kind: EntryKind, call: Call, body: unknown): Entry {
  if (kind === "override" && isRecord(body)) {
    const [[name, client] = [], ...others] = Object.entries(body);
    const isName = name === "identity" || name === "digest";
    if (isName && typeof client === "string" && others.length === 0) return { [name]: client };
  }
  return readEntry(kind, call, body);
}

/** How often an entry is checked anew because a document was published meanwhile. */
const MAX_CHECKS = 3;

async function put(kind: EntryKind, call: Call): Promise<Response> {
  const body = await readSmallBody(call);
  for (let check = 1; ; check++) {
    // Checked against the newest publication, which this isolate may not have read yet.
    await refresh(call);
    const answer = await putChecked(kind, call, body);
    if (answer instanceof Response) return answer;
    if (check === MAX_CHECKS) throw outdated(answer.version);
  }
}

/** The answer; or the version that was published since the rules were read. */
async function putChecked(
  kind: EntryKind,
  call: Call,
  body: unknown,
): Promise<Response | { readonly version: number }> {
  const { published, error } = call.gateway.enforced();
  const entry = readEntry(kind, call, body);
  const { until } = entry;
  if (typeof until === "number" && until <= Date.now()) {
    const remedy = "Give a moment to come.";
    throw faulty([{ path: "until", code: "range", value: isoTime(until), remedy }]);
  }
  const changes = keptChanges([{ type: "added", path: PATHS[kind], after: shown(entry) }]);
  const id = await idOf(entry);
  const audited = auditedAction(call, `put ${kind}`, changes);
  // If Redis has lost the rules that this isolate enforces, a client can still be blocked.
  const checkedWith = error === undefined ? published : undefined;
  const written = await call.storage().putEntry(kind, id, entry, checkedWith, audited);
  if (written.kind === "outdated") return written;
  if (written.kind === "full") {
    throw new Refusal(
      409,
      `There are ${MAX_ENTRIES} entries, or ${MAX_ENTRIES_BYTES} bytes of them: put them into the document.`,
    );
  }
  await refresh(call);
  const { by } = call.caller;
  const made = byCall({ id, entry, at: written.atMs, by });
  const { identity } = entry;
  // A digest names a client that a rule has counted.
  if (kind !== "override" || typeof identity !== "string") return json(made);
  const { policies } = entry;
  const named = isRecord(policies) ? Object.keys(policies) : [];
  const scope = scopeOf(identity, named, call.gateway.held().document, call.gateway.policyNames());
  return json({ ...made, ...scope } satisfies PutOverride);
}

async function remove(kind: EntryKind, call: Call): Promise<Response> {
  const asked = call.query.get("id");
  if (asked !== null && !ID.test(asked)) {
    throw new Refusal(400, "Give the id of an entry as GET lists it.");
  }
  const entry =
    asked === null
      ? readName(kind, call, await readSmallBody(call))
      : await keptEntry(kind, call, asked);
  const id = asked ?? (await idOf(entry!));
  const changes = keptChanges([
    { type: "removed", path: PATHS[kind], before: entry ? shown(entry) : { id } },
  ]);
  if (await call.storage().removeEntry(kind, id, auditedAction(call, `remove ${kind}`, changes))) {
    await refresh(call);
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  }
  const { document } = await currentRules(call);
  const isInDocument =
    entry && entriesOf(kind, document).some((each) => namesOf(each) === namesOf(entry));
  if (isInDocument) throw new Refusal(409, "The document has this entry: publish one without it.");
  throw new Refusal(404, "There is no such entry.");
}

/** Reads an entry by its id, so that the audit names its client. */
async function keptEntry(
  kind: EntryKind,
  { storage }: Call,
  id: string,
): Promise<Entry | undefined> {
  const kept = await storage().entries(kind);
  return kept.find((each) => each.id === id)?.entry;
}

function routesOf(kind: EntryKind, path: string): readonly AdminRoute[] {
  return [
    { method: "GET", path, writes: false, answer: (call) => list(kind, call) },
    { method: "PUT", path, writes: true, answer: (call) => put(kind, call) },
    { method: "DELETE", path, writes: true, query: ["id"], answer: (call) => remove(kind, call) },
  ];
}

export const LISTS = [...routesOf("allow", "/lists/allow"), ...routesOf("deny", "/lists/deny")];

export const OVERRIDES = routesOf("override", "/overrides");
