import { AsyncLocalStorage } from "node:async_hooks";

/** The field by which a denial of `tellsCalls` says that Redis had a part in it. */
export const ASKED_REDIS = "x-asked-redis";

type Fetch = (request: Request, env: object, context: object) => Promise<Response>;

/** The same worker, whose denials say whether they called the store. */
export function tellsCalls(worker: { readonly fetch: Fetch }): { readonly fetch: Fetch } {
  const requests = new AsyncLocalStorage<{ called: boolean }>();
  const call = globalThis.fetch;
  globalThis.fetch = (...parameters) => {
    const request = requests.getStore();
    if (request) request.called = true;
    return call(...parameters);
  };
  return {
    fetch: (...parameters) => {
      const noted = { called: false };
      return requests.run(noted, async () => {
        const response = await worker.fetch(...parameters);
        if (noted.called && response.status === 429) response.headers.set(ASKED_REDIS, "1");
        return response;
      });
    },
  };
}
