import { Redis } from "@upstash/redis";
import { beforeAll, describe } from "vitest";

import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Store } from "../../src/store/store.ts";
import { ownCluster, ownRedis } from "../support/own-redis.ts";
import { storeContract } from "./contract.ts";

const RETRY_NEVER = { retries: 0 };

/** The clients that a limiter is given: the one it makes of an endpoint, and one that its user has built. */
const clients = {
  "an endpoint": ({ url, token }: Bridge): RedisClient => restClient({ url, token }, 5_000),
  "@upstash/redis": ({ url, token }: Bridge): RedisClient =>
    new Redis({ url, token, retry: RETRY_NEVER, enableAutoPipelining: false }),
};

describe.each([
  { client: "an endpoint" as const, emulate: undefined },
  { client: "an endpoint" as const, emulate: "upstash" as const },
  { client: "@upstash/redis" as const, emulate: undefined },
])("the Redis store, one server, from $client, emulating $emulate", ({ client, emulate }) => {
  const own = ownRedis(emulate);
  let store: Store;
  beforeAll(() => void (store = redisStore(clients[client](own.bridge), ALL_SCRIPTS)));
  storeContract(() => store);
});

describe("the Redis store, a cluster of three masters", () => {
  const own = ownCluster();
  let store: Store;
  beforeAll(() => void (store = redisStore(clients["an endpoint"](own.bridge), ALL_SCRIPTS)));
  storeContract(() => store);
});
