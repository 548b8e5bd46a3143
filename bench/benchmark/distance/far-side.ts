import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface FarOptions {
  /** The URL of the server. */
  readonly redis: string;
  readonly token: string;
}

export type FarCommand = { readonly roundTripMs: number } | "count" | "close";

export interface FarAnswer {
  /** The address that clients call. */
  readonly url: string;
  /** HTTP requests that the bridge has received. */
  readonly requests: number;
}

/** A Redis behind a bridge, as far away as each run wants it. */
export interface FarSide {
  /** Opens another way to it, and closes the one before. Resolves with its URL. */
  open(roundTripMs: number): Promise<string>;
  requests(): Promise<number>;
  close(): Promise<void>;
}

export function startFarSide(options: FarOptions): FarSide {
  const thread = new Worker(new URL("./far-thread.ts", import.meta.url), { workerData: options });

  async function ask(command: FarCommand): Promise<FarAnswer> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(command);
    const [answer] = (await once(thread, "message")) as [FarAnswer];
    return answer;
  }

  return {
    open: async (roundTripMs) => (await ask({ roundTripMs })).url,
    requests: async () => (await ask("count")).requests,
    async close() {
      await ask("close");
      await thread.terminate();
    },
  };
}
