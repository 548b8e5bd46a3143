// The far side: a Redis behind a bridge, as far away as each run wants it. A thread of its own, so that the requests of the load
// do not wait for it.

import { parentPort, workerData } from "node:worker_threads";

import { startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { type Distance, openDistance } from "./distant.ts";

/** A round trip in milliseconds opens another way to it, and closes the one before. */
export type FarCommand = number | "count" | "close";

export interface FarAnswer {
  /** The address that clients call. */
  readonly url: string;
  /** HTTP requests that the bridge has received. */
  readonly requests: number;
}

const { redis, token } = workerData as { readonly redis: string; readonly token: string };
const bridge = await startBridge({ redis, port: 0, token, emulate: "upstash" });
let distance: Distance | undefined;

parentPort!.on("message", async (command: FarCommand) => {
  if (command !== "count") await distance?.close();
  if (command === "close") await bridge.close();
  if (typeof command === "number") distance = await openDistance(bridge.url, command);
  const answer: FarAnswer = { url: distance?.url ?? "", requests: bridge.requests };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(answer);
});
