import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";

/** A Redis over HTTP, and the variables by which a worker finds it. */
export interface Rest {
  readonly bridge: Bridge;
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts the bridge, which holds scripts to Upstash's rules where it is to `emulate` it. */
export async function startRest(redis: string, emulate?: "upstash"): Promise<Rest> {
  const bridge = await startBridge({ redis, port: 0, token: "local", ...(emulate && { emulate }) });
  return {
    bridge,
    variables: {
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridge.token,
      UPSTASH_DISABLE_TELEMETRY: "1",
    },
  };
}
