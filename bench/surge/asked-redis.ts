import { AsyncLocalStorage } from "node:async_hooks";

/** Tells the driver which denials Redis had a part in. */
export const ASKED_REDIS = "x-asked-redis";

interface Handler<Env, Context> {
  fetch(request: Request, env: Env, context: Context): Response | Promise<Response>;
}

/** The same worker, whose denials say whether they called the store. */
export function tellsCalls<Env, Context>(worker: Handler<Env, Context>): Handler<Env, Context> {
  const requests = new AsyncLocalStorage<{ called: boolean }>();
  const send = globalThis.fetch;
  globalThis.fetch = (...parameters) => {
    const request = requests.getStore();
    if (request) request.called = true;
    return send(...parameters);
  };
  return {
    fetch: (request, env, context) => {
      const noted = { called: false };
      return requests.run(noted, async () => {
        const response = await worker.fetch(request, env, context);
        if (noted.called && response.status === 429) response.headers.set(ASKED_REDIS, "1");
        return response;
      });
    },
  };
}
