/**
 * For servers on Node: clients of Redis that hold a connection of their own.
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
