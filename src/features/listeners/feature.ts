import { compileListener } from "./decision-listener.ts";
import { withListener } from "./listening-limiter.ts";

/** A listener that is called with each decision. */
export const listeners = { compile: compileListener, wrap: withListener };
