// Import the whole module: a missing name would stop the worker at start-up on an older workerd.
import * as workers from "cloudflare:workers";

/** A Worker's variables and secrets, with or without `nodejs_compat`. */
export const bindings: object = workers.env ?? {};
