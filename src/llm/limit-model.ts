import type { Hold, Reserve } from "../decide/hold.ts";
import type { Identity, Cost } from "../decide/limiter-types.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { keepAlive } from "../runtime/keep-alive.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { LimitedCallError } from "./limited-call-error.ts";
import { type ModelUsage, usageOf } from "./model-usage.ts";
import { costOf, end, settleAt, totalOf } from "./settle-by-usage.ts";
import type { Usage } from "./usage.ts";

/** The parameters of a call to a model of the AI SDK. */
export interface ModelCall {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The options of `limitModel()`. */
export interface LimitModelOptions {
  /** The caller of the model, or a function that returns it for each call. */
  readonly identity: Identity | ((call: ModelCall) => Identity | Promise<Identity>);
  /** The cost to reserve, from the estimated tokens of a call. */
  readonly estimate: (tokens: number, call: ModelCall) => Cost;
  /**
   * The cost of a call, from its usage. Default: `usage.totalTokens`, for every `refundable` policy; without any, for
   * every policy.
   */
  readonly cost?: (usage: Usage) => Cost;
  /** The highest estimate. Give the limit of the policy that counts tokens. Default: no bound. */
  readonly atMost?: number;
}

/** A middleware for `wrapLanguageModel()` of the AI SDK, in the form of its versions 5 to 7. */
export interface LimitModel {
  wrapGenerate<Result extends { readonly usage: ModelUsage }>(options: {
    doGenerate: () => PromiseLike<Result>;
    params: ModelCall;
  }): Promise<Result>;
  wrapStream<Result extends { readonly stream: ReadableStream }>(options: {
    doStream: () => PromiseLike<Result>;
    params: ModelCall;
  }): Promise<Result>;
}

/**
 * Limits a model of the AI SDK by tokens: reserves an estimate before each call, and settles it by the usage that the model
 * tells at its end. A stream that breaks off before that keeps the estimate; a call that fails gives it back, unless its
 * caller has aborted it.
 *
 * A denied call throws an error that the AI SDK takes for one of the provider: `statusCode` 429, with `Retry-After`. So
 * `generateText()` and the others wait and try again, up to `maxRetries`, if the wait is shorter than a minute.
 *
 * @param limiter with a policy that is `refundable`
 * @throws ConfigurationError for an option that is unknown or of the wrong kind
 * @example
 * const model = wrapLanguageModel({
 *   model: openai("gpt-5-mini"),
 *   middleware: limitModel(limiter, {
 *     identity: "customer:42",
 *     estimate: (tokens) => ({ tokens }),
 *     atMost: 20_000,
 *   }),
 * });
 */
export function limitModel(limiter: Reserve, options: LimitModelOptions): LimitModel {
  const { identity, estimate, cost, atMost } = checked(options);

  async function reserve(call: ModelCall): Promise<Hold> {
    // Also tools and schemas are sent to the model; header fields are not.
    const sent = { ...call, headers: undefined };
    const tokens = estimateTokens(sent, atMost === undefined ? {} : { atMost });
    const who = typeof identity === "function" ? await identity(call) : identity;
    const hold = await limiter.reserve(who, { cost: estimate(tokens, call) });
    if (!hold.allowed) throw new LimitedCallError(hold);
    return hold;
  }

  function settle(hold: Hold, usage: Usage | undefined): void {
    const costs = cost ?? (({ totalTokens }: Usage) => totalOf(totalTokens, hold));
    keepAlive(end(() => settleAt(hold, costOf(usage, costs, hold))));
  }

  /** Calls the model; if that fails, gives its reservation back. */
  async function ask<Result>(hold: Hold, call: ModelCall, model: () => PromiseLike<Result>) {
    try {
      return await model();
    } catch (error) {
      // A model that has begun to answer has read the whole input.
      if (call.abortSignal?.aborted) settle(hold, undefined);
      else keepAlive(end(() => hold.release()));
      throw error;
    }
  }

  return {
    async wrapGenerate({ doGenerate, params }) {
      const hold = await reserve(params);
      const result = await ask(hold, params, doGenerate);
      settle(hold, usageOf(result.usage));
      return result;
    },

    async wrapStream({ doStream, params }) {
      const hold = await reserve(params);
      const result = await ask(hold, params, doStream);
      return { ...result, stream: watched(result.stream, (usage) => settle(hold, usage)) };
    },
  };
}

/** The same parts, each passed on at once; `ended` is called once, with the usage of the last one. */
function watched(
  stream: ReadableStream,
  ended: (usage: Usage | undefined) => void,
): ReadableStream {
  const reader = stream.getReader();
  let usage: Usage | undefined;
  let hasEnded = false;
  const finish = () => {
    if (!hasEnded) ended(usage);
    hasEnded = true;
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          const part = Object(value) as { type?: unknown; usage?: ModelUsage };
          if (part.type === "finish") usage = usageOf(part.usage);
          if (!done) return controller.enqueue(value);
          finish();
          controller.close();
        } catch (error) {
          finish();
          controller.error(error);
        }
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function checked(value: LimitModelOptions): LimitModelOptions {
  const faults = new Faults();
  const options = checkedOptions(value, ["identity", "estimate", "cost", "atMost"], faults);
  const { estimate, cost } = options;
  if (typeof estimate !== "function") {
    faults.add("estimate", estimate, FUNCTION, "takes a number of tokens and returns a cost");
  }
  if (cost !== undefined && typeof cost !== "function") {
    faults.add("cost", cost, FUNCTION, "takes a usage and returns a cost");
  }
  faults.throwIfAny();
  return options;
}
