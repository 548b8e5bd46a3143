import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";

import { charged } from "./charged.ts";
import type { Counted, CountedRequest, CountedRules } from "./counted.ts";

/*
 * The program of a thread that counts a gateway's steps. V8 counts how often each block of its code runs, also of the
 * packages that it uses; built-in functions are charged with the characters or items that they are given.
 */

const session = new Session();
session.connect();
const post = (method: string, parameters?: object) => {
  let answer: unknown;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
};
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

// Only code that is compiled now has its blocks counted.
const { createGateway } = await import("../../../src/gateway/gateway.ts");
const { admin } = await import("../../../src/admin/admin.ts");
const { variables } = workerData as CountedRules;
const gateway = createGateway(variables, { admin });

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** How often blocks have run since the last look, but those of Node itself and of this test. */
function blocks(): number {
  const { result } = post("Profiler.takePreciseCoverage") as Coverage;
  return result
    .filter(({ url }) => url.startsWith("file:") && !url.includes("/test/"))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((sum, { count }) => sum + count, 0);
}

parentPort!.on("message", async ({ path, method = "GET", headers }: CountedRequest) => {
  const request = new Request(`http://gateway.example${path}`, {
    method,
    headers: { "cf-connecting-ip": "192.0.2.1", ...headers },
  });
  blocks();
  const before = charged();
  const { status } = await gateway.fetch(request);
  const characters = charged() - before;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage({ status, steps: blocks() + characters } satisfies Counted);
});
