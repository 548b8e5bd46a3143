import { crc32 } from "node:zlib";

import type { Usage } from "../../../src/llm/usage.ts";

/** A response of a provider, with made-up texts in the structure that the provider sends. */
export interface Shape {
  readonly name: string;
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Header fields beside the type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The bill, worked out by hand. */
  readonly usage: Usage;
}

/** One whose body is a text. */
export type TextShape = Shape & { readonly body: string };

/** Looks like a usage, in a text: quotes, escapes, and characters of two to four bytes. */
export const BAIT =
  '5" of café, „5 €“ 🦀 \\ "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}]}\ndata: {"usage":{"total_tokens":9}}\n\n';

/** A complete usage; the tokens of a cache only if they are given. */
export const bill = (
  inputTokens: number,
  outputTokens: number,
  cachedTokens?: number,
  cacheWriteTokens?: number,
): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  ...(cachedTokens !== undefined && { cachedTokens }),
  ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  complete: true,
});

/** A bill of this model, as the response names it, with what else decides its price. */
export const by = (model: string, usage: Usage, more: Partial<Usage> = {}): Usage => ({
  ...usage,
  ...more,
  models: [model],
});

export const json = (name: string, body: object, usage: Usage): TextShape => ({
  name,
  type: "application/json",
  body: JSON.stringify(body, null, 2),
  usage,
});

export const stream = (name: string, body: string, usage: Usage): TextShape => ({
  name,
  type: "text/event-stream; charset=utf-8",
  body,
  usage,
});

/** Documents of which each is a line. */
export const lines = (name: string, documents: readonly object[], usage: Usage): TextShape => ({
  name,
  type: "application/x-ndjson",
  body: documents.map((document) => `${JSON.stringify(document)}\n`).join(""),
  usage,
});

/** Events as OpenAI's chat completions send them. */
export const unnamed = (...data: readonly object[]) =>
  `${data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

/** Events with their type beside the data. */
export const named = (...data: readonly ({ readonly type: string } & Record<string, unknown>)[]) =>
  data.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** Messages of AWS's event streams. */
export function awsEvents(
  ...events: readonly (readonly [type: string, payload: object | string])[]
) {
  return new Uint8Array(Buffer.concat(events.map(([type, payload]) => awsEvent(type, payload))));
}

/** Messages of InvokeModel's streams, each with a document in base64. */
export const invokeEvents = (...documents: readonly (object | string)[]) =>
  awsEvents(
    ...documents.map((document) => {
      const bytes = Buffer.from(textOf(document)).toString("base64");
      return ["chunk", { bytes, p: "abcdefghijk" }] as const;
    }),
  );

/** The text of a document, which may be given as it is. */
const textOf = (document: object | string) =>
  typeof document === "string" ? document : JSON.stringify(document);

function awsEvent(type: string, payload: object | string): Buffer {
  const header = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, value.length]),
      Buffer.from(value),
    ]);
  const headers = Buffer.concat([
    header(":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ]);
  const body = Buffer.from(textOf(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message), 0);
  return Buffer.concat([message, checksum]);
}
