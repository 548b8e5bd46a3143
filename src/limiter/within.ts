/** Stands for what did not come in time. */
export const LATE = Symbol("late");

/**
 * What is answered within so many milliseconds, else `LATE`. By a timer of the request's own: on Workers, what another
 * request was to do may never be done. It runs before the question is asked, and so ends before any of the answerer's.
 */
export async function within<Value>(
  milliseconds: number,
  ask: () => Value | Promise<Value>,
): Promise<Value | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), milliseconds);
  });
  try {
    return await Promise.race([ask(), patience]);
  } finally {
    clearTimeout(timer);
  }
}
