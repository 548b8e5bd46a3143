/** The result of a call that took too long. */
export const TIMED_OUT = Symbol("timed out");

/**
 * Resolves with the answer, or `TIMED_OUT` after `ms`. The timer belongs to the calling request: on Workers the answer may
 * depend on another request, which may end first. It starts before the call, so it fires before any timer of the callee.
 */
export async function withTimeout<Value>(
  ms: number,
  ask: () => Value | Promise<Value>,
): Promise<Value | typeof TIMED_OUT> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), ms);
  });
  try {
    return await Promise.race([ask(), patience]);
  } finally {
    clearTimeout(timer);
  }
}
