import { mean } from "d3-array";

import { nowMs } from "../clock.ts";
import { createClient } from "./client.ts";

const EVERY_MS = 50;

/**
 * Measures the driver's own latency while it drives: how long a request takes that another process answers at once.
 * `stop()` returns the mean in milliseconds.
 */
export function startProbe(url: string): { stop(): number } {
  const client = createClient(url);
  const { pathname: path } = new URL(url);
  const latencies: number[] = [];
  const timer = setInterval(async () => {
    const sentMs = nowMs();
    const { status } = await client.send({ path });
    if (status === 200) latencies.push(nowMs() - sentMs);
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      client.close();
      return mean(latencies) ?? 0;
    },
  };
}
