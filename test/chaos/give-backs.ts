import { cluster, createLimiter, type Policy, type ReservingLimiter } from "../../src/index.ts";

/** What a command gives back, its keys and when it was taken: its first argument is a time, where others have an operation. */
export function givesBack(body: string): string | undefined {
  const command: unknown = JSON.parse(body);
  if (!Array.isArray(command)) return undefined;
  const keys = Number(command[2]);
  const first = String(command[3 + keys]);
  return /^\d{10,}$/.test(first) ? `${command.slice(3, 3 + keys).join()} ${first}` : undefined;
}

/** An isolate: requests that it admits without Redis would not count. */
export function isolateOn(
  url: string,
  { token, policies }: { readonly token: string; readonly policies: readonly Policy[] },
): ReservingLimiter {
  return createLimiter({
    redis: cluster({ url, token }),
    policies,
    onFailure: "closed",
    timeout: "10s",
    onStoreError: () => {},
  });
}

export const nowMs = () => performance.timeOrigin + performance.now();
