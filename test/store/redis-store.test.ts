import { beforeAll, describe } from "vitest";

import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Store } from "../../src/store/store.ts";
import { ownCluster, ownRedis } from "../support/own-redis.ts";
import { storeContract } from "./contract.ts";

/** As a limiter makes it of an endpoint. */
const storeOn = ({ url, token }: Bridge) =>
  redisStore(restClient({ url, token }, 5_000), ALL_SCRIPTS);

describe.each([undefined, "upstash" as const])(
  "the Redis store, one server, emulating %s",
  (emulate) => {
    const own = ownRedis(emulate);
    let store: Store;
    beforeAll(() => void (store = storeOn(own.bridge)));
    storeContract(() => store);
  },
);

describe("the Redis store, a cluster of three masters", () => {
  const own = ownCluster();
  let store: Store;
  beforeAll(() => void (store = storeOn(own.bridge)));
  storeContract(() => store);
});
