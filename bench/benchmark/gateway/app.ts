// A worker that only forwards, at /bare, and the gateway at every other path, in the same isolate.

import gateway from "../../../src/worker.ts";

export { TidegateObject } from "../../../src/worker.ts";

export default {
  fetch(request: Request, bindings: { readonly ORIGIN: string }, context: object) {
    // The gateway reads the address itself, and shall not pay for it twice.
    if (!request.url.endsWith("/bare")) return gateway.fetch(request, bindings, context as never);
    const { pathname, search } = new URL(request.url);
    const passed = new Request(bindings.ORIGIN + pathname + search, request);
    return fetch(passed, { redirect: "manual" });
  },
};
