import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { guard } from "../../../scripts/local-stack/guard.ts";
import type { Drive, FromDriver } from "../driver/main.ts";
import type { Asked, Progress } from "../driver/records.ts";
import { BARE } from "../origin/bare.ts";
import type { FromOrigin, ToOrigin } from "../origin/main.ts";
import type { MatchingOptions } from "../origin/matching.ts";

/** The state of the matching service at a moment. */
export type Load = Extract<FromOrigin, { kind: "load" }> & { readonly atMs: number };

export interface Origin {
  readonly url: string;
  /** A path that is answered at once. */
  readonly bare: string;
  /** The loads reported so far, four times a second. */
  readonly loads: readonly Load[];
  /** When each request arrived, by its number; 0 for one that did not. */
  arrivals(): Promise<Float64Array>;
  stop(): Promise<void>;
}

/** Starts the API with its matching service. */
export async function startOrigin(options: MatchingOptions, now: () => number): Promise<Origin> {
  const child = start("../origin/main.ts");
  const loads: Load[] = [];
  child.on("message", (message: FromOrigin) => {
    if (message.kind === "load") loads.push({ ...message, atMs: now() });
  });
  child.send({ kind: "start", ...options } satisfies ToOrigin);
  const { url } = await message<Extract<FromOrigin, { kind: "ready" }>>(child, "ready");
  return {
    url,
    bare: url + BARE,
    loads,
    async arrivals() {
      child.send({ kind: "report" } satisfies ToOrigin);
      type Arrivals = Extract<FromOrigin, { kind: "arrivals" }>;
      return (await message<Arrivals>(child, "arrivals")).arrivals;
    },
    stop: () => stop(child),
  };
}

export interface Driven {
  readonly beginMs: number;
  /** The mean latency of requests that a server answers at once. */
  readonly driverMs: number;
  /** In the order in which they were sent. */
  readonly asked: readonly Asked[];
}

export interface Driving {
  /** Resolves with the time at which the run begins. */
  readonly begun: Promise<number>;
  readonly done: Promise<Driven>;
}

/** Lets the people act. */
export function drive(options: Drive, onProgress: (progress: Progress) => void): Driving {
  const child = start("../driver/main.ts");
  child.on("message", (message: FromDriver) => {
    if (message.kind === "progress") onProgress(message);
  });
  child.send(options);
  const begun = message<Extract<FromDriver, { kind: "begun" }>>(child, "begun");
  const done = message<Extract<FromDriver, { kind: "done" }>>(child, "done");
  return {
    begun: begun.then(({ beginMs }) => beginMs),
    done: done.finally(() => stop(child)),
  };
}

function start(file: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: "advanced" });
  guard(child);
  return child;
}

/** The next message of this kind. */
function message<Message extends { readonly kind: string }>(
  child: ChildProcess,
  kind: Message["kind"],
): Promise<Message> {
  return new Promise((resolve, reject) => {
    function settle(act: () => void): void {
      child.off("message", receive);
      child.off("exit", fail);
      act();
    }
    const receive = (received: Message) => {
      if (received.kind === kind) settle(() => resolve(received));
    };
    const fail = (code: number | null) =>
      settle(() => reject(new Error(`a process of the surge ended with ${code}`)));
    child.on("message", receive);
    child.once("exit", fail);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, "exit");
  child.disconnect();
  await exit;
}
