import { Faults } from "../options/faults.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { sumOfCosts } from "./cost-by-name.ts";
import {
  costOf,
  settleByUsage,
  type SettleOptions,
  type Settles,
  totalOf,
} from "./settle-by-usage.ts";
import { createStreamedAnswer } from "./streamed-answer.ts";

/** The options of `usageUpTo()`. */
export interface CutOffOptions extends SettleOptions {
  /** Tokens of the answer that the hold has reserved. Range: from 1. */
  readonly outputTokens: number;
  /**
   * Tokens that the provider may have written by the time it notices that nobody reads on: they are billed. Range: from 1. Default:
   * `100`.
   */
  readonly inFlight?: number;
  /**
   * Tokens of reasoning that the stream does not show, as many as you allow the model: they count from its first event on, unless the
   * provider tells more. Range: from 0. Default: `0`.
   */
  readonly hidden?: number;
}

const IN_FLIGHT = 100;

/**
 * As `usage()`, for an answer that may become longer than what was reserved for it: ends a stream there with the events by which its
 * provider ends an answer at its greatest length, and cancels it at the provider. `finish_reason` is `"length"`, `status`
 * `"incomplete"`, `stop_reason` `"max_tokens"` or `finishReason` `"MAX_TOKENS"`. Bytes before stay as they are. Other responses pass
 * whole, and so does an answer that ends before.
 *
 * The tokens of the answer are estimated by its text: 1 to 2 times what they are. Where the provider tells them as it goes, they
 * count if they are more, with reasoning that is not shown. An answer that was cut off costs its
 * reservation, and each token beyond `outputTokens`.
 *
 * @throws ConfigurationError for an option that is unknown or out of range
 * @throws TypeError if the body is already being read
 * @example
 * return hold.stream(await fetch(model, request), { usage: usageUpTo, outputTokens: 2000, cost: price("gpt-5-mini") });
 */
export function usageUpTo(hold: Settles, response: Response, options: CutOffOptions): Response {
  const { outputTokens, inFlight = IN_FLIGHT, hidden = 0, ...others } = checked(options);
  const { cost = ({ totalTokens }) => totalOf(totalTokens, hold) } = others;
  const { reserved, taken = reserved } = hold;
  /** Units of the answer beyond those that were reserved for it, once it is cut off. */
  let excess = 0;

  const settled: Settles = {
    reserved,
    taken,
    settle(units) {
      const tokens = { inputTokens: 0, outputTokens: excess, totalTokens: excess };
      const more = excess > 0 ? costOf({ ...tokens, complete: true }, cost, hold) : undefined;
      if (more === undefined) return hold.settle(units);
      return hold.settle(sumOfCosts(units ?? taken, more, Object.keys(taken)));
    },
    release: () => hold.release(),
  };

  const read = settleByUsage(settled, response, others);
  if (!isCuttable(response) || read.body === null) return read;
  const answer = createStreamedAnswer(outputTokens - inFlight, hidden);
  return new Response(
    cutWhere(read.body, (chunk) => {
      const at = answer.read(chunk);
      if (at !== undefined) excess = Math.max(0, answer.tokens() + inFlight - outputTokens);
      return at === undefined ? undefined : { at, closing: answer.closing() };
    }),
    read,
  );
}

/** Whether it is a stream of events of which no length is told. */
function isCuttable({ headers }: Response): boolean {
  const type = headers.get("Content-Type") ?? "";
  return /^text\/event-stream\b/i.test(type) && !headers.has("Content-Length");
}

/** The same bytes up to where a chunk is cut, and after them a text that closes the stream. */
function cutWhere(
  body: ReadableStream<Uint8Array>,
  cutAt: (chunk: Uint8Array) => { readonly at: number; readonly closing: string } | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const cut = cutAt(value);
        if (!cut) return controller.enqueue(value);
        // The provider stops when nobody reads on.
        await reader
          .cancel("the tokens that were reserved for the answer are used up")
          .catch(() => {});
        controller.enqueue(value.subarray(0, cut.at));
        controller.enqueue(new TextEncoder().encode(cut.closing));
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function checked(value: CutOffOptions): CutOffOptions {
  const faults = new Faults();
  const names = ["cost", "waitUntil", "outputTokens", "inFlight", "hidden"];
  const options = checkedOptions(value, names, faults);
  const { outputTokens, inFlight = IN_FLIGHT, hidden = 0 } = options;
  checkPositiveInteger(outputTokens, Number.MAX_SAFE_INTEGER, "outputTokens", faults);
  checkPositiveInteger(inFlight, Number.MAX_SAFE_INTEGER, "inFlight", faults);
  if (hidden !== 0) checkPositiveInteger(hidden, Number.MAX_SAFE_INTEGER, "hidden", faults);
  faults.throwIfAny();
  return options;
}
