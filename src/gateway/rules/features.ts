import type { RequestFeatures } from "../../adapter/every-feature.ts";
import type { compileOverrides } from "./overrides.ts";

/** The features that rules may need. */
export interface RuleFeatures extends RequestFeatures {
  /** Live rules: only they have overrides. */
  readonly live?: { readonly compileOverrides: typeof compileOverrides };
  /** Whether clients can read their remaining quota. */
  readonly quota?: unknown;
}
