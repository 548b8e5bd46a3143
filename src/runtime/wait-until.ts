/** Keeps the isolate for a promise after the response has been sent, where the platform would end it. */
export type WaitUntil = (promise: Promise<unknown>) => void;

/** The platform's `waitUntil`, as Hono's context knows it. */
export function waitUntilOf(context: { readonly executionCtx: unknown }): WaitUntil {
  return (promise) => {
    let execution: unknown;
    try {
      execution = context.executionCtx;
    } catch {
      // Hono throws if the platform has none: there, isolates do not end with the response.
    }
    (execution as { readonly waitUntil?: WaitUntil } | undefined)?.waitUntil?.(promise);
  };
}
