import { awsEvents, invokeEvents } from "../support/llm/shape.ts";
import type { Shape } from "../support/llm/shapes.ts";
import { type Fields, isObject } from "./readings.ts";
import { bytesOf } from "./streamed.ts";

/** A response as the documents of its body, which can be changed and put together again. */
export interface Documents {
  readonly shape: Shape;
  readonly documents: readonly Fields[];
  /** The body of these documents, each as the text of its JSON. */
  readonly encode: (texts: readonly string[]) => Uint8Array<ArrayBuffer>;
}

export function documentsOf(shape: Shape): Documents {
  const { body, type } = shape;
  if (typeof body !== "string") return { shape, ...ofAws(body) };
  if (type.includes("event-stream")) {
    const events = body.split("\n\n").filter((event) => event.includes("data: {"));
    const documents = events.map((event) => parsed(event.slice(event.indexOf("{"))));
    const end = body.includes("[DONE]") ? "data: [DONE]\n\n" : "";
    const encode = (texts: readonly string[]) =>
      bytesOf(texts.map((text) => `data: ${text}\n\n`).join("") + end);
    return { shape, documents, encode };
  }
  if (type.includes("ndjson")) {
    const encode = (texts: readonly string[]) => bytesOf(texts.map((text) => `${text}\n`).join(""));
    return { shape, documents: body.trimEnd().split("\n").map(parsed), encode };
  }
  const whole = JSON.parse(body) as Fields | readonly Fields[];
  const documents = Array.isArray(whole) ? (whole as readonly Fields[]) : [whole as Fields];
  const encode = (texts: readonly string[]) =>
    bytesOf(Array.isArray(whole) ? `[${texts.join(",")}]` : texts.join(""));
  return { shape, documents, encode };
}

const parsed = (text: string) => JSON.parse(text) as Fields;

/** The payloads of AWS's messages, and the documents that InvokeModel wraps. */
function ofAws(body: Uint8Array<ArrayBuffer>): Pick<Documents, "documents" | "encode"> {
  const events: { readonly type: string; readonly payload: Fields }[] = [];
  const view = new DataView(body.buffer);
  for (let at = 0; at < body.length; at += view.getUint32(at)) {
    const from = at + 12 + view.getUint32(at + 4);
    const text = new TextDecoder().decode(body.subarray(from, at + view.getUint32(at) - 4));
    const headers = new TextDecoder().decode(body.subarray(at + 12, from));
    const type = /:event-type\W+(\w+)/.exec(headers)![1]!;
    events.push({ type, payload: parsed(text) });
  }
  if (!events.every(({ payload }) => "bytes" in payload)) {
    const documents = events.map(({ payload }) => payload);
    return {
      documents,
      encode: (texts) => awsEvents(...texts.map((text) => ["event", text] as const)),
    };
  }
  const documents = events.map(({ payload }) => parsed(atob(String(payload["bytes"]))));
  return { documents, encode: (texts) => invokeEvents(...texts) };
}

/** The objects with numbers in a usage. */
export function objectsIn(usage: Fields): Record<string, unknown>[] {
  const inner = Object.values(usage).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [usage as Record<string, unknown>, ...inner.filter(isObject).flatMap(objectsIn)];
}
