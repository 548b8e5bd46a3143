/**
 * For servers on Node: Redis clients with their own connection.
 *
 * @module
 */

export { clientKey } from "./partition/client-key.ts";
export { fromIoredis, type IoredisClient } from "./store/redis/from-ioredis.ts";
export { fromNodeRedis, type NodeRedisClient } from "./store/redis/from-node-redis.ts";
