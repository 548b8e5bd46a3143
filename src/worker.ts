/**
 * The entry on Cloudflare Workers. Invalid variables stop it at start-up, and the log lists every fault.
 *
 * @module
 */

import { env, tracing } from "cloudflare:workers";

import { admin } from "./admin/admin.ts";
import { coloCache, coloDenials } from "./cloudflare.ts";
import { spanAttributes } from "./features/span-attributes.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { metrics } from "./metrics/metrics.ts";
import { durableObjectRegion } from "./store/durable-object-region.ts";
import { durableObjectStore } from "./store/durable-object-store.ts";

export { TidegateObject } from "./store/tidegate-object.ts";
export { TidegateRegion } from "./store/tidegate-region.ts";

/** The gateway of the variables that are bound to the Worker. */
const gateway: Gateway = createGateway(env, {
  admin,
  coloCache,
  coloDenials,
  durableObjectRegion,
  durableObjectStore,
  metrics,
  onDecision: spanAttributes(tracing),
});

export default gateway;
