import { type Bridge, startBridge } from "../../../packages/redis-rest/src/bridge.ts";

/** A Redis over HTTP as Upstash has it, and the variables with which a gateway finds it. */
export interface Upstash {
  readonly bridge: Bridge;
  readonly variables: Readonly<Record<string, string>>;
}

export async function startUpstash(redisUrl: string): Promise<Upstash> {
  const bridge = await startBridge({
    redis: redisUrl,
    port: 0,
    token: "surge",
    emulate: "upstash",
  });
  return {
    bridge,
    variables: {
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
    },
  };
}
