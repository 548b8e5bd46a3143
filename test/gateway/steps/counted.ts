import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { onTestFinished } from "vitest";

/** A request of the one client. */
export interface CountedRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CountedRules {
  /** Of the gateway. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What became of a request. */
export interface Counted {
  readonly status: number;
  readonly steps: number;
}

/** Starts a gateway in a thread of its own that counts the steps of each request. */
export function countedGateway(
  variables: CountedRules["variables"],
): (request: CountedRequest) => Promise<Counted> {
  const thread = new Worker(new URL("counted-gateway.ts", import.meta.url), {
    workerData: { variables } satisfies CountedRules,
  });
  onTestFinished(async () => void (await thread.terminate()));
  return async (request) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(request);
    const [answer] = (await once(thread, "message")) as [Counted];
    return answer;
  };
}
