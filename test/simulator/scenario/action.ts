import type { Ask } from "../call.ts";
import type { Weather } from "../network-weather.ts";

/** The act of one step. Times in microseconds. */
export type Action =
  | { readonly kind: "call"; readonly isolate: number; readonly ask: Ask }
  /** The client that was last told to wait asks at the moment from which the server will admit this cost, or a little off it. */
  | {
      readonly kind: "knock";
      readonly identity: string;
      readonly cost: number;
      readonly off: number;
    }
  | { readonly kind: "weather"; readonly isolate: number | undefined; readonly weather: Weather }
  | { readonly kind: "restart"; readonly downtime: number }
  | { readonly kind: "failover"; readonly lostWrites: number; readonly downtime: number }
  | { readonly kind: "clock-step"; readonly by: number }
  /** An isolate's clock is set, by whole milliseconds. */
  | { readonly kind: "isolate-step"; readonly isolate: number; readonly by: number }
  | { readonly kind: "eviction"; readonly identity: string; readonly policy: number }
  | { readonly kind: "hang"; readonly duration: number }
  | { readonly kind: "script-flush" }
  | { readonly kind: "dialect"; readonly knowsKeyLocking: boolean };

export interface Step {
  /** Passes before it. */
  readonly gap: number;
  readonly action: Action;
  /** Draws what happens to the messages it leads to; its own, so that a step can be left out and the rest stays. */
  readonly seed: number;
}

/** An action in a line of a trace. */
export function describeAction(action: Action): string {
  if (action.kind === "call") return `isolate ${action.isolate}: ${describeAsk(action.ask)}`;
  const { kind, ...details } = action;
  return `${kind} ${JSON.stringify(details)}`;
}

export function describeAsk({ method, identity, cost }: Ask): string {
  return method === "reset" ? `reset("${identity}")` : `${method}("${identity}", ${cost})`;
}
