/**
 * What a promise that never fails brings within so many milliseconds, else `undefined`. By a timer of the request's own:
 * on Workers, what another request was to do may never be done.
 */
export async function within<Value>(
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const value = await Promise.race([promise, patience]);
  clearTimeout(timer);
  return value;
}
