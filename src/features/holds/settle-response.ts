import { IMPLEMENTATION } from "../../algorithms/algorithm.ts";
import type { Hold } from "../../decide/hold.ts";
import type { Decision } from "../../decision/decision.ts";
import type { Policy } from "../../policy/policy.ts";
import { reportOnce } from "../../runtime/log.ts";
import type { WaitUntil } from "../../runtime/wait-until.ts";
import { watchBody } from "../../runtime/watch-body.ts";
import type { Failures } from "./failures.ts";

/** Whether requests are reserved and settled: a policy takes back, or frees, what a request held. */
export function needsHold(policies: readonly Policy[]): boolean {
  return policies.some((policy) => {
    const { refundable, counts, [IMPLEMENTATION]: implementation } = Object(policy) as Policy;
    return refundable === true || counts === "failures" || implementation?.hasSlots === true;
  });
}

/** What is read of a request that is answered. */
interface Answered {
  readonly method: string;
  readonly signal: Pick<AbortSignal, "aborted">;
}

/** Settles what a request holds. */
export interface Settlement {
  /**
   * By this response: when its body has ended, was cancelled or failed. Returns the response to send instead.
   *
   * @param request what it answers: the body of an answer to HEAD is never sent
   */
  after(response: Response, request: Answered): Response;
  /** By this status, at once; `undefined` if nobody here sees the response, so that all counts as reserved. */
  now(status: number | undefined, request: Pick<Answered, "signal">): void;
}

/**
 * Settles the hold of an allowed request; `undefined` for a decision that is no hold, and for a denial, which holds
 * nothing. The first settlement counts, so what a handler has settled stays as it is.
 *
 * @param failures the policies that count failures, of all rules that decided
 */
export function settlementOf(
  decision: Decision | Hold,
  failures: readonly Failures[],
  waitUntil: WaitUntil,
): Settlement | undefined {
  if (!decision.allowed || !("settle" in decision)) return undefined;
  const hold = decision;

  async function settle(status: number | undefined): Promise<void> {
    const others = failures.filter(({ statuses }) => status !== undefined && !statuses.has(status));
    const cost = Object.fromEntries(others.map(({ name }) => [name, 0]));
    try {
      await hold.settle(others.length > 0 ? cost : undefined);
    } catch (error) {
      reportOnce(`a request could not be settled: ${String(error)}`);
    }
  }

  return {
    after(response, request) {
      const status = knownStatus(response.status, request);
      if (request.method === "HEAD") {
        waitUntil(settle(status));
        return withoutBody(response);
      }
      // Not asked where the response does not end the hold.
      const usage = (_hold: unknown, sent: Response) => {
        let end: () => void;
        const ended = new Promise<void>((resolve) => (end = resolve));
        const watched = watchBody(sent, { end: () => end() });
        waitUntil(ended.then(() => settle(status)));
        return watched;
      };
      return hold.stream(response, { usage });
    },

    now(status, request) {
      waitUntil(settle(status === undefined ? undefined : knownStatus(status, request)));
    },
  };
}

/**
 * The status of a response; `undefined` where a client has hung up before, and the error may be what that has caused: what the
 * origin would have answered is not known then, and a client must not be able to hide a failure.
 */
function knownStatus(status: number, { signal }: Pick<Answered, "signal">): number | undefined {
  return signal.aborted && status >= 500 ? undefined : status;
}

/** Nobody reads it: what makes it would go on without an end, and without its slot. */
function withoutBody(response: Response): Response {
  if (response.body === null) return response;
  // Whoever has begun to read it ends it.
  response.body.cancel("HEAD").catch(() => {});
  return new Response(null, response);
}
