/** Stands for what did not come in time. */
export const TIMED_OUT = Symbol("late");

/**
 * What is answered within so many milliseconds, else `TIMED_OUT`. By a timer of the request's own: on Workers, what another
 * request was to do may never be done. It runs before the question is asked, and so ends before any of the answerer's.
 */
export async function withTimeout<Value>(
  milliseconds: number,
  ask: () => Value | Promise<Value>,
): Promise<Value | typeof TIMED_OUT> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), milliseconds);
  });
  try {
    return await Promise.race([ask(), patience]);
  } finally {
    clearTimeout(timer);
  }
}
