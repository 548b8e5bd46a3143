import { reportOnce } from "../runtime/log.ts";
import { watchBody } from "../runtime/watch-body.ts";
import { readAwsEvents } from "./aws-event-stream.ts";
import { readEvents } from "./event-stream.ts";
import { createJsonScanner, type JsonScanner } from "./json-scanner.ts";
import { createUsageReader } from "./usage-reader.ts";
import { USAGE_SHAPES } from "./usage-shapes.ts";
import type { Usage } from "./usage.ts";

/**
 * Reads how many tokens a response of a language model took, from its JSON or its stream, while the client receives it: of
 * OpenAI, Anthropic, Gemini, Bedrock, Cohere, Ollama, and of the many providers that answer like one of them. The
 * returned response has the same status, header fields and bytes; each chunk is passed on at once, and no chunk is read ahead of
 * the client. Use it instead of the given one, whose body it takes over.
 *
 * OpenAI's chat completions tell the usage of a stream only if the request has
 * `stream_options: { include_usage: true }`.
 *
 * @param onUsage Called once, when the body has ended, was cancelled by the client, or failed; at once if there is no
 * body. Its argument is `undefined` if the body told no usage: it is in none of these forms, is still compressed, or broke
 * off too early. An error that it throws is logged, and has no other effect.
 * @throws TypeError if the body is already being read
 * @example
 * const answer = await fetch("https://api.openai.com/v1/responses", request);
 * return readUsage(answer, (usage) => console.log(usage?.totalTokens));
 */
export function readUsage(
  response: Response,
  onUsage: (usage: Usage | undefined) => void | Promise<void>,
): Response {
  const form = formOf(response.headers.get("Content-Type"));
  const reader = createUsageReader(form !== "json", reportUnknown);
  const scanner = createJsonScanner(reader);
  const fields = documentOfFields(response.headers);
  if (fields) scanner.scan(fields, 0, fields.length);

  async function tell(isWhole: boolean): Promise<void> {
    try {
      scanner.end();
      await onUsage(reader.usage(isWhole));
    } catch (error) {
      reportOnce(`onUsage failed: ${String(error)}`);
    }
  }

  return watchBody(response, {
    ...(form && { chunk: READERS[form](scanner) }),
    end: (isWhole) => void tell(isWhole),
  });
}

/** The usage in header fields, as a document before those of the body. */
function documentOfFields(headers: Headers): Uint8Array | undefined {
  const usages = Object.values(USAGE_SHAPES).flatMap(({ usage, headers: fields = {} }) => {
    const told = Object.entries(fields).filter(([field]) => /^\d+$/.test(headers.get(field) ?? ""));
    const counts = told.map(([field, name]) => [name, Number(headers.get(field))]);
    return counts.length > 0 ? [[usage[0]!, Object.fromEntries(counts) as object]] : [];
  });
  if (usages.length === 0) return undefined;
  // The fields are sent when the answer has ended.
  const told = { ...Object.fromEntries(usages), status: "completed" } as object;
  return new TextEncoder().encode(JSON.stringify(told));
}

/** Tells the operator once that the books keep an estimate in place of a usage. */
export function reportUnknown(path: string): void {
  reportOnce(`the usage of a model is not all known, so its estimate was kept: ${path}`);
}

const READERS = {
  events: readEvents,
  "aws-events": readAwsEvents,
  json: readDocuments,
  lines: readDocuments,
};

function readDocuments({ scan }: JsonScanner): (chunk: Uint8Array) => void {
  return (chunk) => scan(chunk, 0, chunk.length);
}

/**
 * How a body tells its documents; `undefined` if it has none. The field `Content-Encoding` is no help: after fetch() it names what
 * the platform has already decoded. Bytes that are still encoded are no JSON, and no line of an event.
 */
function formOf(contentType: string | null): keyof typeof READERS | undefined {
  const type = contentType?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return "events";
  if (type === "application/vnd.amazon.eventstream") return "aws-events";
  if (/^application\/(?:[^/]+\+)?json$/.test(type)) return "json";
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/.test(type)) return "lines";
  return undefined;
}
