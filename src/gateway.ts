/**
 * The gateway as a fetch handler for any runtime: `import { createGateway } from "tidegate/gateway"`.
 *
 * @module
 */

export { createGateway, type Gateway } from "./gateway/gateway.ts";
export type { Platform } from "./gateway/platform.ts";
