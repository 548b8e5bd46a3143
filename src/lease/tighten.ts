import { tickOf } from "../algorithms/window.ts";
import { type CompiledPolicy, completePolicy } from "../policy/compile.ts";

/**
 * The policy that Redis has to keep so that the given one is kept by those who hold leases. They spend a unit up to one
 * lease after Redis took it: so what is spent in a time w, Redis took in a time w + lease.
 *
 * @param lease microseconds
 */
export function tightenPolicy(policy: CompiledPolicy, lease: number): CompiledPolicy {
  const { algorithm, limit, parameters } = policy;
  const [a, b] = parameters;
  const windowMicroseconds = Math.round(policy.window * 1e6) + lease;
  switch (algorithm) {
    case "token-bucket": {
      // Smaller by what comes back within a lease.
      const smaller = limit - Math.ceil((lease * b) / a);
      const refill = (smaller * a) / b;
      return completePolicy(
        { ...policy, limit: smaller },
        { windowMicroseconds: refill, parameters },
      );
    }
    case "sliding-window-log":
      return completePolicy(policy, { windowMicroseconds, parameters: [windowMicroseconds, b] });
    case "sliding-window-counter": {
      const tick = tickOf(windowMicroseconds, limit);
      return completePolicy(policy, { windowMicroseconds, parameters: [windowMicroseconds, tick] });
    }
    case "segmented-window": {
      const length = Math.ceil(windowMicroseconds / b);
      return completePolicy(policy, { windowMicroseconds, parameters: [length, b] });
    }
    case "fixed-window":
      // As it is: a lease ends with the window that it was taken in.
      return policy;
  }
}
