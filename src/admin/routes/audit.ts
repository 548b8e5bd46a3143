import type { AuditRecord } from "../../store/control/records.ts";
import { type AdminRoute, type Call, isoTime, json } from "../call.ts";
import type { Audit } from "../rules-answers.ts";

async function list({ storage }: Call): Promise<Response> {
  return json({ entries: (await storage().audit()).map(shown) } satisfies Audit);
}

function shown({ at, ...record }: AuditRecord): Audit["entries"][number] {
  return { at: isoTime(at), ...record };
}

export const AUDIT: readonly AdminRoute[] = [
  { method: "GET", path: "/audit", writes: false, answer: list },
];
