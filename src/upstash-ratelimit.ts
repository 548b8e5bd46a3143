/**
 * The classes of @upstash/ratelimit on Tidegate's engine: `import { Ratelimit } from "tidegate/upstash-ratelimit"`.
 *
 * @module
 */

export type { Algorithm, Duration } from "./dropins/upstash-algorithms.ts";
export type { Geo, LimitOptions, RatelimitConfig } from "./dropins/upstash-config.ts";
export * as IpDenyList from "./dropins/upstash-ip-deny-list.ts";
export {
  MultiRegionRatelimit,
  type MultiRegionRatelimitConfig,
} from "./dropins/upstash-multi-region.ts";
export { Ratelimit } from "./dropins/upstash-ratelimit.ts";
export type { RatelimitResponse } from "./dropins/upstash-response.ts";
