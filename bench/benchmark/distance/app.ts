// One isolate under load: a response of its own for each request that its limiter allows.

import type { Decide } from "./ways/way.ts";
import { WAYS } from "./ways/ways.ts";

let current: { readonly run: string; readonly decide: Decide } | undefined;

/** The limiter of this run: the one of the run before is over. */
function limiterOf(way: string, { headers }: Request): Decide {
  const run = headers.get("x-run")!;
  if (current?.run !== run) {
    current = { run, decide: WAYS[way]!({ url: headers.get("x-redis-url")!, run }) };
  }
  return current.decide;
}

export default {
  async fetch(request: Request): Promise<Response> {
    const [, way, identity] = new URL(request.url).pathname.split("/") as [string, string, string];
    const allowed = way === "bare" || (await limiterOf(way, request)(identity));
    return new Response("hello", { status: allowed ? 200 : 429 });
  },
};
