import * as z from "zod/mini";

import { type Answer, version } from "./answer-parts.ts";

/** A refusal, as RFC 9457 has it. */
export const Problem = z.object({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** The version that is published. */
  version: z.optional(version),
  errors: z.optional(
    z.array(
      z.object({
        path: z.string(),
        code: z.string(),
        value: z.string(),
        remedy: z.string(),
      }),
    ),
  ),
  /** The code of a StoreError. */
  code: z.optional(z.string().check(z.regex(/^ERR_STORE_/))),
  /** Whether a write without an answer certainly has not happened. */
  outcome: z.optional(z.enum(["unknown", "not-done"])),
});
export type Problem = Answer<typeof Problem>;
