import { IMPLEMENTATION } from "../../algorithms/algorithm.ts";
import type { Decision } from "../../decide/decision.ts";
import type { Hold } from "../../decide/hold.ts";
import type { Policy } from "../../policy/policy.ts";
import { reportOnce } from "../../runtime/log.ts";
import type { WaitUntil } from "../../runtime/wait-until.ts";
import { watchBody } from "../../runtime/watch-body.ts";
import type { Failures } from "./failures.ts";

/** Whether requests must be reserved and settled: some policy takes units back, or frees slots. */
export function needsHold(policies: readonly Policy[]): boolean {
  return policies.some((policy) => {
    const { refundable, counts, [IMPLEMENTATION]: implementation } = Object(policy) as Policy;
    return refundable === true || counts === "failures" || implementation?.hasSlots === true;
  });
}

interface Answered {
  readonly method: string;
  readonly signal: Pick<AbortSignal, "aborted">;
}

/** Settles the hold of a request. */
export interface ResponseSettlement {
  /**
   * Settles when this response's body has ended, was cancelled or failed. Returns the response to send instead.
   *
   * @param request its request: the body of an answer to HEAD is never sent
   */
  after(response: Response, request: Answered): Response;
  /**
   * Settles at once by this status; `undefined` if the response passes elsewhere, so that the whole reservation counts.
   */
  now(status: number | undefined, request: Pick<Answered, "signal">): void;
}

/**
 * Settles the hold of an allowed request; `undefined` for a decision that is no hold, and for a denial, which holds no
 * units. The first settlement counts, so a handler's own settlement stays.
 *
 * @param failures the policies that count failures, of all rules that decided
 */
export function settlementOf(
  decision: Decision | Hold,
  failures: readonly Failures[],
  waitUntil: WaitUntil,
): ResponseSettlement | undefined {
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
      // Not called if the response does not end the hold.
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
 * The status of a response; `undefined` if the client has hung up before, because that may have caused the error. The
 * origin's answer is unknown then, and a client must not be able to hide a failure.
 */
function knownStatus(status: number, { signal }: Pick<Answered, "signal">): number | undefined {
  return signal.aborted && status >= 500 ? undefined : status;
}

/** Cancels a body without a reader: its source would run on without an end and without a slot. */
function withoutBody(response: Response): Response {
  if (response.body === null) return response;
  // A caller that has begun to read the body ends it.
  response.body.cancel("HEAD").catch(() => {});
  return new Response(null, response);
}
