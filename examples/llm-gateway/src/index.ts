import { createLimiter, fixedWindow, refundable } from "tidegate";
import { estimateTokens, largestAnswer, RequestError, usage } from "tidegate/llm";

interface Env {
  readonly MODEL_URL: string;
  readonly MODEL: string;
  readonly MODEL_KEY: string;
  /** The keys of your customers, with a blank between them. */
  readonly CUSTOMER_KEYS: string;
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

/** Each customer has 10,000 tokens a day, from the first request on. */
const limiter = createLimiter({
  policies: [
    fixedWindow({
      name: "tokens",
      limit: 10_000,
      window: "1d",
      aligned: false,
      refundable: refundable(),
    }),
  ],
});

/** Only known fields are sent on: others could multiply the answer. */
function bounded(body: unknown, model: string) {
  const { messages } = Object(body) as { messages?: readonly object[] };
  return { model, messages, max_completion_tokens: Math.min(largestAnswer(body) ?? 1_000, 1_000) };
}

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const key = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (key === "" || !env.CUSTOMER_KEYS.split(" ").includes(key)) {
      return new Response("Unknown key", { status: 401 });
    }
    let asked: ReturnType<typeof bounded>;
    try {
      asked = bounded(await request.json(), env.MODEL);
    } catch (error) {
      if (error instanceof RequestError || error instanceof SyntaxError) {
        return Response.json({ error: { message: error.message } }, { status: 400 });
      }
      throw error;
    }
    const cost = estimateTokens(asked);
    const hold = await limiter.reserve(key, { cost });
    if (!hold.allowed) return hold.response();
    try {
      const answer = await fetch(env.MODEL_URL, {
        method: "POST",
        headers: { authorization: `Bearer ${env.MODEL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify(asked),
      });
      const waitUntil = (promise: Promise<unknown>) => context.waitUntil(promise);
      return hold.stream(answer, { usage, waitUntil });
    } catch (error) {
      await hold.release();
      throw error;
    }
  },
};
