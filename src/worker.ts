/**
 * The entry on Cloudflare Workers. A fault in the variables stops it at start-up, with all faults in the log.
 *
 * @module
 */

import { env } from "cloudflare:workers";

import { coloDenials } from "./cloudflare.ts";
import { createGateway } from "./gateway/gateway.ts";

export default createGateway(env, { coloDenials });
