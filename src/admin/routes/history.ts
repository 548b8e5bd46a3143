import { type AdminRoute, type Call, ifMatch, isoTime, json, readSmallBody } from "../call.ts";
import { changesBetween } from "../changes.ts";
import { Refusal } from "../refusal.ts";
import type { Difference, History } from "../rules-answers.ts";
import { checked, RollbackBody } from "../schemas.ts";
import { currentRules, requireNewest } from "./current.ts";
import { soundDocument } from "./document.ts";
import { keptDraft } from "./drafts.ts";
import { publish } from "./publish.ts";
import { give } from "./trial.ts";

async function list({ storage }: Call): Promise<Response> {
  const { current, tried, versions } = await storage().history();
  return json({
    versions: versions.map(({ version, publishedAt, by, note, takenBack }) => ({
      version,
      publishedAt: isoTime(publishedAt),
      by,
      note,
      current: version === current,
      tried: version === tried || undefined,
      takenBack,
    })),
  } satisfies History);
}

async function rollBack(call: Call): Promise<Response> {
  const { to, note } = checked(RollbackBody, await readSmallBody(call));
  const based = ifMatch(call);
  const current = await currentRules(call);
  if (based !== undefined) requireNewest(current, based);
  const { trial } = current;
  // The version before the one that is tried is still published.
  if (to === undefined && trial) return give(call, { ...current, trial }, 0, note);
  const target = to ?? (await versionBefore(call, current.version));
  const document = await documentOf(call, target);
  const sound = soundDocument(call, document);
  return publish(call, current, sound, { action: `rollback to ${target}`, note });
}

/** The newest kept version before this one that all clients had; 0 for the deployed rules. */
async function versionBefore({ storage }: Call, version: number): Promise<number> {
  if (version === 0) throw new Refusal(404, "Nothing is published that could be rolled back.");
  const { versions } = await storage().history();
  return versions.find((each) => each.version < version && !each.takenBack)?.version ?? 0;
}

async function documentOf({ gateway, storage }: Call, version: number): Promise<unknown> {
  if (version === 0) return gateway.deployed;
  const kept = await storage().version(version);
  if (!kept) throw new Refusal(404, `Version ${version} is not kept.`);
  return kept.document;
}

async function compare(call: Call): Promise<Response> {
  const from = call.query.get("from") ?? "live";
  const to = call.query.get("to") ?? "draft";
  const [before, after] = await Promise.all([named(call, from), named(call, to)]);
  return json({ from, to, changes: changesBetween(before, after) } satisfies Difference);
}

async function named(call: Call, name: string): Promise<unknown> {
  if (name === "live") return (await currentRules(call)).document;
  if (name === "deployed") return call.gateway.deployed;
  if (name === "draft") return (await keptDraft(call)).document;
  if (/^(?:0|[1-9]\d{0,14})$/.test(name)) return documentOf(call, Number(name));
  throw new Refusal(400, "Give from and to as live, deployed, draft, or the number of a version.");
}

export const HISTORY: readonly AdminRoute[] = [
  { method: "GET", path: "/rules/history", writes: false, answer: list },
  { method: "POST", path: "/rules/rollback", writes: true, answer: rollBack },
  { method: "GET", path: "/rules/diff", writes: false, query: ["from", "to"], answer: compare },
];
