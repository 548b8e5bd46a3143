// The far side: the bridge to Redis, behind a distance. A thread of its own, so that the requests of the load do not wait for it.

import { parentPort, workerData } from "node:worker_threads";

import { startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { type Distance, openDistance } from "./distant.ts";
import type { FarAnswer, FarCommand, FarOptions } from "./far-side.ts";

const { redis, token } = workerData as FarOptions;
const bridge = await startBridge({ redis, port: 0, token, emulate: "upstash" });
let distance: Distance | undefined;

async function answer(command: FarCommand): Promise<FarAnswer> {
  if (command !== "count") await distance?.close();
  if (command === "close") await bridge.close();
  else if (command !== "count") distance = await openDistance(bridge.url, command.roundTripMs);
  return { url: distance?.url ?? "", requests: bridge.requests };
}

parentPort!.on("message", (command: FarCommand) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void answer(command).then((result) => parentPort!.postMessage(result));
});
