import { createGateway, generateText, wrapLanguageModel } from "ai";
import { createLimiter, fixedWindow, refundable } from "tidegate";
import { LimitedCallError, limitModel } from "tidegate/llm";

/** Each user has 10,000 tokens a day, from the first request on. */
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

/** Reads the variables AI_GATEWAY_API_KEY and AI_GATEWAY_URL. */
const gateway = createGateway({ baseURL: process.env["AI_GATEWAY_URL"] });

export async function POST(request: Request): Promise<Response> {
  const { prompt } = (await request.json()) as { prompt: string };
  const model = wrapLanguageModel({
    model: gateway("openai/gpt-5-mini"),
    middleware: limitModel(limiter, {
      // The user that you have authenticated.
      identity: request.headers.get("x-user") ?? "anonymous",
      estimate: (tokens) => ({ tokens }),
      atMost: 10_000,
    }),
  });
  try {
    const { text } = await generateText({ model, prompt, maxOutputTokens: 1_000, maxRetries: 0 });
    return Response.json({ text });
  } catch (error) {
    if (error instanceof LimitedCallError) return error.decision.response();
    throw error;
  }
}
