import { isRecord } from "../options/record.ts";
import { usageOfDocument } from "./document-usage.ts";
import type { Usage } from "./usage.ts";

/** A request of a batch, and what it took. */
export interface BatchUsage {
  /** Your name of the request: `custom_id`, or Gemini's `key`. Absent if the line has none. */
  readonly id?: string;
  /** Absent if the request failed, expired or was cancelled, which is not billed. */
  readonly usage?: Usage;
}

/** The names under which a result has the response of the model, from the outside in. */
const WITHIN = ["response", "result", "body", "message"];

/** The names of a request. */
const IDS = ["custom_id", "key"];

/**
 * Reads the results of a batch, of OpenAI, Anthropic, Gemini and those like them, line by line as they arrive: the usage of each request,
 * to settle it by the name that you gave it. A batch costs half of the list price at all three.
 *
 * @param results the response with the file of results; of its lines, one at a time is kept
 * @throws SyntaxError for a line that is no JSON
 * @example
 * for await (const { id, usage } of readBatch(await fetch(url, request))) {
 *   if (usage) await limiter.charge(customers[id!]!, { money: Math.ceil(price("gpt-5-mini")(usage) / 2) });
 * }
 */
export async function* readBatch(results: Response): AsyncGenerator<BatchUsage, void> {
  for await (const line of linesOf(results)) {
    const result: unknown = JSON.parse(line);
    const id = IDS.map((name) => (isRecord(result) ? result[name] : undefined)).find(
      (each) => typeof each === "string",
    );
    const usage = usageIn(result);
    yield { ...(id !== undefined && { id: id as string }), ...(usage && { usage }) };
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : lines.pop()!;
      yield* lines.filter((line) => line.trim() !== "");
      if (done) return;
    }
  } finally {
    // A body that is not read to its end would keep its connection.
    await reader.cancel();
  }
}

function usageIn(result: unknown): Usage | undefined {
  let response = result;
  for (const name of WITHIN) {
    if (isRecord(response) && isRecord(response[name])) response = response[name];
  }
  const usage = usageOfDocument(new TextEncoder().encode(JSON.stringify(response)));
  if (!usage?.tiers) return usage;
  // The word by which Anthropic says that it was a batch, which you know.
  const { tiers, ...others } = usage;
  const rest = tiers.filter((word) => word !== "batch");
  return rest.length > 0 ? { ...others, tiers: rest } : others;
}
