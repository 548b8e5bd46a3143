/**
 * For servers on Node: Redis clients with their own connection.
 *
 * @module
 */

export { clientKey } from "./partition/client-key.ts";
export {
  fromIoredis,
  fromNodeRedis,
  type IoredisClient,
  type NodeRedisClient,
} from "./store/redis/node-clients.ts";
