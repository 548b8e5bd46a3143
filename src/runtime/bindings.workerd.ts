// The whole module, because a name that an older workerd lacks would stop the worker at start-up.
import * as workers from "cloudflare:workers";

/** A Worker's variables and secrets, with or without `nodejs_compat`. */
export const bindings: object = workers.env ?? {};
