import { waitUntil } from "#bindings";

import type { WaitUntil } from "./wait-until.ts";

interface VercelContext {
  readonly waitUntil?: WaitUntil;
}

/** The symbol under which Vercel stores the context of the current request; `@vercel/functions` reads it, too. */
const VERCEL = Symbol.for("@vercel/request-context");

/** Keeps the isolate for a promise of the request that is being handled, on platforms that end it with the response. */
export function keepAlive(promise: Promise<unknown>): void {
  const vercel = (globalThis as { [VERCEL]?: { get?(): VercelContext | undefined } })[VERCEL];
  vercel?.get?.()?.waitUntil?.(promise);
  waitUntil(promise);
}
