import type { AuditRecord } from "../../store/control/records.ts";
import { type AdminRoute, type Call, isoTime, json } from "../call.ts";
import { Refusal } from "../refusal.ts";
import type { Audit } from "../rules-answers.ts";

async function list({ storage, query }: Call): Promise<Response> {
  const before = numberIn(query.get("before"));
  return json({ entries: (await storage().audit(before)).map(shown) } satisfies Audit);
}

function numberIn(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal(400, "Give before as the n of an entry.");
}

function shown({ at, ...record }: AuditRecord): Audit["entries"][number] {
  return { at: isoTime(at), ...record };
}

export const AUDIT: readonly AdminRoute[] = [
  { method: "GET", path: "/audit", writes: false, query: ["before"], answer: list },
];
