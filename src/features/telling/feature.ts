import { compileTell } from "./tell-decision.ts";
import { withTelling } from "./telling-limiter.ts";

/** A listener that is called with each decision. */
export const telling = { compile: compileTell, wrap: withTelling };
