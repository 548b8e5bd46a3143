import { expect } from "vitest";

import { documentOf } from "../support/admin/administered.ts";
import type { Answer, Ask } from "./ask.ts";

/** A moment as answers have it. */
export const NOW = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The author of a change, as answers have it. */
export const BY = expect.stringMatching(/^admin:[0-9a-f]{8}$/);

/** Publishes a document with a rule of this limit, in place of a version. */
export function putRules(ask: Ask, version: number, limit: number, query = ""): Promise<Answer> {
  const headers = { "If-Match": `"${version}"` };
  return ask(`/rules${query}`, { method: "PUT", body: documentOf(limit), headers });
}

/** The change from one such document to another. */
export const changed = (before: number, after: number) => ({
  type: "changed",
  path: "rules[0].policies[0].limit",
  before,
  after,
});

/** A fault as answers have it. */
export const faultAt = (path: string, value: unknown = expect.any(String)) => ({
  path,
  value,
  code: expect.any(String),
  remedy: expect.any(String),
});
