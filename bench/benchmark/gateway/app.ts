// A worker that only forwards, at /bare, and the gateway at every other path, in the same isolate.

import gateway from "../../../src/worker.ts";

export { TidegateObject } from "../../../src/worker.ts";

export default {
  fetch(request: Request, bindings: { readonly ORIGIN: string }, context: object) {
    const { pathname, search } = new URL(request.url);
    if (pathname !== "/bare") return gateway.fetch(request, bindings, context as never);
    const passed = new Request(bindings.ORIGIN + pathname + search, request);
    return fetch(passed, { redirect: "manual" });
  },
};
