/**
 * Pacing towards model providers: `import { createPacer } from "tidegate/pacing"`. It keeps many workers below the limits that the
 * providers tell, and sends requests to the next model when one is used up.
 *
 * @module
 */

export {
  createPacer,
  type NoRoom,
  type PacedRequest,
  type PacedResponse,
  type Pacer,
} from "./llm/create-pacer.ts";
export type { PacerOptions } from "./llm/pacer-options.ts";
export type { PacedTarget, PacingLimiter } from "./llm/paced-target.ts";
export type { QuotaKind } from "./llm/provider-quota.ts";
