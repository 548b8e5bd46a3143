/**
 * The gateway as a fetch handler for any runtime: `import { createGateway } from "tidegate/gateway"`.
 *
 * @module
 */

export { cors } from "./gateway/cors/feature.ts";
export type { GatewayFeatures } from "./gateway/every-feature.ts";
export { createGateway, type Gateway, gatewayWith } from "./gateway/gateway.ts";
export { live } from "./gateway/live/feature.ts";
export type { Platform } from "./gateway/platform.ts";
export { answerQuota as quota } from "./gateway/quota.ts";
