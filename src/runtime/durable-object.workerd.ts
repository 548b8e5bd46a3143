import * as workers from "cloudflare:workers";

import type { DurableObject as Plain } from "./durable-object.ts";

/** The platform's class. Typed as the other one, so that declarations need no types of the platform. */
export const DurableObject: typeof Plain = workers.DurableObject;
