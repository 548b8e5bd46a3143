/**
 * The gateway as a fetch handler for any runtime: `import { createGateway } from "tidegate/gateway"`.
 *
 * @module
 */

export type { Platform } from "./gateway/config/config.ts";
export { createGateway, type Gateway } from "./gateway/gateway.ts";
