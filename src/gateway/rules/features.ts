import type { RequestFeatures } from "../../adapter/every-feature.ts";
import type { cors } from "../cors/feature.ts";
import type { compileOverrides } from "./overrides.ts";

/** The features that rules may need. All rules have sources and dimensions, and a gateway opens no client. */
export interface RuleFeatures extends Omit<RequestFeatures, "clients" | "dimensions" | "sources"> {
  /** Live rules: only they have overrides. */
  readonly live?: { readonly compileOverrides: typeof compileOverrides };
  /** Answers to browsers that ask for permission. */
  readonly cors?: typeof cors;
  /** Whether clients can read their remaining quota. */
  readonly quota?: unknown;
}
