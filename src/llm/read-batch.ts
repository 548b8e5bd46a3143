import { isRecord } from "../options/record.ts";
import { usageOfDocument } from "./document-usage.ts";
import { hasTwins } from "./plain-json.ts";
import type { Usage } from "./usage.ts";

/** A request of a batch, and what it took. */
export interface BatchUsage {
  /** Your name of the request: `custom_id`, or Gemini's `key`. Absent if the line has none. */
  readonly id?: string;
  /**
   * Absent if the request failed, expired or was cancelled, which is not billed. That of a request which says neither is empty and
   * not `complete`, as everywhere: book your estimate.
   */
  readonly usage?: Usage;
}

/** The names under which a result has the response of the model, from the outside in. */
const WITHIN = ["response", "result", "modelOutput", "body", "message"];

/** The names of a request. */
const IDS = ["custom_id", "key", "recordId"];

/** The types of Anthropic's results that are not billed. */
const UNBILLED = ["errored", "canceled", "expired"];

/** That of a request which was billed, as far as is known. */
const UNKNOWN: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, complete: false };

/**
 * Reads the results of a batch, of OpenAI, Anthropic, Gemini, Bedrock and those like them, line by line as they arrive: the usage of each request,
 * to settle it by the name that you gave it. A batch costs half of the list price there.
 *
 * @param results the response with the file of results; of its lines, one at a time is kept
 * @throws SyntaxError for a line that is no JSON
 * @example
 * for await (const { id, usage } of readBatch(await fetch(url, request))) {
 *   const cost = usage?.complete ? price("gpt-5-mini")(usage) / 2 : estimates[id!];
 *   if (usage) await limiter.charge(customers[id!]!, { money: Math.ceil(cost) });
 * }
 */
export async function* readBatch(results: Response): AsyncGenerator<BatchUsage, void> {
  for await (const line of linesOf(results)) {
    const result: unknown = JSON.parse(line);
    const id = IDS.map((name) => (isRecord(result) ? result[name] : undefined)).find(
      (each) => typeof each === "string",
    );
    const told = usageIn(result);
    // Of a name that is there twice, the parsed line has one value.
    const usage = told && { ...told, complete: told.complete && !hasTwins(line, result) };
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
  let hasFailed = saysFailure(result);
  for (const name of WITHIN) {
    if (isRecord(response) && isRecord(response[name])) response = response[name];
    hasFailed ||= saysFailure(response);
  }
  const text = JSON.stringify(response, (_name, value: unknown) =>
    value === Infinity ? Number.MAX_VALUE : value,
  );
  const usage = usageOfDocument(new TextEncoder().encode(text));
  if (!usage) return hasFailed ? undefined : UNKNOWN;
  if (!usage.tiers) return usage;
  // The word by which Anthropic says that it was a batch, which you know.
  const { tiers, ...others } = usage;
  const rest = tiers.filter((word) => word !== "batch");
  return rest.length > 0 ? { ...others, tiers: rest } : others;
}

/** Whether a result, or its response, says that it is an error: by one, by its type, or by its status. */
function saysFailure(result: unknown): boolean {
  if (!isRecord(result)) return false;
  const { error, type, status_code } = result;
  return isRecord(error) || UNBILLED.includes(String(type)) || Number(status_code) >= 400;
}
