/**
 * For servers on Node: Redis clients with their own connection, and WebSockets through a gateway.
 *
 * @module
 */

export {
  passUpgrades,
  type Upgradable,
  type UpgradingServer,
} from "./gateway/proxy/node/pass-upgrades.ts";
export { clientKey } from "./partition/client-key.ts";
export { fromIoredis, type IoredisClient } from "./store/redis/from-ioredis.ts";
export { fromNodeRedis, type NodeRedisClient } from "./store/redis/from-node-redis.ts";
