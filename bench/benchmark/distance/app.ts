// Isolates under load: a response for each request that the limiter of its isolate allows.

import { type Decide, WAYS } from "./ways.ts";

interface Run {
  readonly name: string;
  /** By the number of the isolate. */
  readonly limiters: Map<string, Decide>;
}

let current: Run | undefined;

/** An isolate's limiter. A limiter of its own stands for an isolate: no two share anything. */
function limiterOf(way: string, isolate: string, { headers }: Request): Decide {
  const name = headers.get("x-run")!;
  // The run before is over.
  if (current?.name !== name) current = { name, limiters: new Map() };
  const { limiters } = current;
  const limiter =
    limiters.get(isolate) ?? WAYS[way]!({ url: headers.get("x-redis-url")!, run: name });
  limiters.set(isolate, limiter);
  return limiter;
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, way, isolate, identity] = pathname.split("/") as [string, string, string, string];
    const allowed = way === "bare" || (await limiterOf(way, isolate, request)(identity));
    return new Response("hello", { status: allowed ? 200 : 429 });
  },
};
