// Import the whole module: a missing name would stop the worker at start-up on an older workerd.
import * as workers from "cloudflare:workers";

import type { WaitUntil } from "./wait-until.ts";

/** A Worker's variables and secrets, with or without `nodejs_compat`. */
export const bindings: object = workers.env ?? {};

/** Keeps the isolate for a promise of the request that is being handled. */
export const waitUntil: WaitUntil = (promise) => workers.waitUntil?.(promise);
