import * as z from "zod/mini";

import { KEPT, Override, SCOPE } from "../../../src/admin/entry-answers.ts";
import { Explanation as ReadExplanation } from "../../../src/admin/explanation-answer.ts";
import { AnsweredDocument, DryRun, Published } from "../../../src/admin/rules-answers.ts";
import { ListEntry } from "../../../src/gateway/rules/schema.ts";

/* The bodies and the answers that name a client in one of several ways, each described by itself. */

z.globalRegistry.add(AnsweredDocument, { override: { $ref: "#/components/schemas/Document" } });

export const PublishedOrNot = z.union([Published, DryRun]);

type Shape = Readonly<Record<string, z.ZodMiniType>>;
const entriesWith = (more: Shape) =>
  z.union(ListEntry.def.options.map((entry) => z.extend(entry, more)) as never);
const overridesWith = (more: Shape) =>
  z.union(Override.def.options.map((entry) => z.extend(entry, more)) as never);

export const KeptEntry = entriesWith(KEPT);
export const KeptOverride = overridesWith(KEPT);
export const PutOverride = overridesWith({ ...KEPT, ...SCOPE });
export const Entries = z.object({ entries: z.array(KeptEntry) });
export const Overrides = z.object({ entries: z.array(KeptOverride) });
export const Explanation = z.extend(ReadExplanation, {
  entries: z.optional(z.array(ListEntry)),
});

const lasts = { for: z.optional(z.string()) };
export const SentEntry = entriesWith(lasts);
export const SentOverride = overridesWith(lasts);
/** An override that is taken back: its identity or digest, with or without the rest of it. */
export const NamedOverride = z.union([
  SentOverride,
  z.strictObject({ identity: z.string() }),
  z.strictObject({ digest: z.string() }),
]);
