export { limit } from "./limit.ts";
export { createLimiter } from "./limiter/create-limiter.ts";
export * from "./limiter/exports.ts";
