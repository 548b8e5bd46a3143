import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { estimateTokens } from "../../src/llm/estimate-tokens.ts";

const LENGTH = 400_000;

/** Text that could be base64. */
const TEXT = "Tide".repeat(LENGTH / 4);

/** Text that could not. */
const PROSE = "High tide is at noon. ".repeat(LENGTH / 22 + 1);

const asked = (part: unknown) => ({ messages: [{ role: "user", content: [part] }], max_tokens: 1 });

const dataUrl = (type: string) => `data:${type};base64,${TEXT}`;

describe("a text counts wherever it stands, also if it looks like base64", () => {
  test.for<readonly [string, unknown]>([
    ["a message", { messages: [{ role: "user", content: TEXT }] }],
    ["a part", asked({ type: "text", text: TEXT })],
    ["system", { system: TEXT }],
    ["instructions and input", { instructions: TEXT.slice(9), input: TEXT.slice(0, 9) }],
    ["Gemini's contents", { contents: [{ parts: [{ text: TEXT }] }] }],
    ["Gemini's system", { systemInstruction: { parts: [{ text: TEXT }] } }],
    [
      "a tool's description",
      { tools: [{ type: "function", function: { name: "a", description: TEXT } }] },
    ],
    [
      "the names of a schema",
      { tools: [{ name: "a", input_schema: { properties: { [TEXT]: {} } } }] },
    ],
    [
      "a schema's property that is called like media",
      { tools: [{ input_schema: { properties: { source: { data: { enum: [TEXT] } } } } }] },
    ],
    ["a tool's call", asked({ type: "tool_use", input: { file: TEXT } })],
    ["a tool's result", asked({ type: "tool_result", content: [{ type: "text", text: TEXT }] })],
    [
      "Anthropic's text document",
      asked({ type: "document", source: { type: "text", media_type: "text/plain", data: TEXT } }),
    ],
    [
      "a text that is said to be an image",
      asked({ type: "document", source: { type: "text", media_type: "image/png", data: TEXT } }),
    ],
    [
      "Anthropic's document of parts",
      asked({
        type: "document",
        source: { type: "content", content: [{ type: "text", text: TEXT }] },
      }),
    ],
    [
      "Anthropic's search result",
      asked({
        type: "search_result",
        source: "https://a.example",
        title: "a",
        content: [{ type: "text", text: TEXT }],
      }),
    ],
    ["the source of a search result", asked({ type: "search_result", source: TEXT })],
    [
      "base64 of a text",
      asked({ type: "document", source: { type: "base64", media_type: "text/plain", data: TEXT } }),
    ],
    [
      "base64 of an unknown type",
      asked({ type: "document", source: { type: "base64", data: TEXT } }),
    ],
    [
      "prose in the place of base64",
      asked({ type: "image", source: { type: "base64", media_type: "image/png", data: PROSE } }),
    ],
    ["a file of text", asked({ type: "file", file: { file_data: dataUrl("text/plain") } })],
    ["a file of JSON", asked({ type: "input_file", file_data: dataUrl("application/json") })],
    [
      "a file that is called a text",
      asked({ type: "input_file", filename: "a.txt", file_data: TEXT }),
    ],
    ["prose in a file", asked({ type: "file", file: { file_data: PROSE } })],
    [
      "a picture of text",
      asked({ type: "image_url", image_url: { url: dataUrl("image/svg+xml") } }),
    ],
    [
      "a picture that is no data",
      asked({ type: "image_url", image_url: { url: `https://a.example/?${TEXT}` } }),
    ],
    [
      "Gemini's inline text",
      { contents: [{ parts: [{ inlineData: { mimeType: "text/csv", data: TEXT } }] }] },
    ],
    [
      "Gemini's inline data without a type",
      { contents: [{ parts: [{ inlineData: { data: TEXT } }] }] },
    ],
    [
      "Bedrock's text document",
      asked({ document: { format: "txt", name: "a", source: { bytes: TEXT } } }),
    ],
    [
      "Bedrock's document of text",
      asked({ document: { format: "pdf", name: "a", source: { text: TEXT } } }),
    ],
    [
      "an unknown place",
      asked({ type: "hologram", hologram: { data: TEXT, media_type: "image/png" } }),
    ],
    ["an unknown member", { image: TEXT }],
    ["lists in lists", { input: [[[[TEXT]]]] }],
    ["a text alone", TEXT],
  ])("%s", ([, body]) => {
    expect(estimateTokens(body)).toBeGreaterThanOrEqual(LENGTH / 4);
  });

  const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: TEXT } };
  const INLINE = { inlineData: { mimeType: "image/png", data: TEXT } };

  test.for<readonly [string, unknown]>([
    ["a tool's call", asked({ type: "tool_use", name: "a", input: IMAGE })],
    ["a tool's call in a list", asked({ type: "tool_use", name: "a", input: { images: [TEXT] } })],
    ["a call of Responses", { input: [{ type: "function_call", arguments: { image_url: TEXT } }] }],
    ["Gemini's call", { contents: [{ parts: [{ functionCall: { name: "a", args: INLINE } }] }] }],
    [
      "Gemini's answer to a call",
      { contents: [{ parts: [{ functionResponse: { response: INLINE } }] }] },
    ],
    ["a schema", { tools: [{ input_schema: { default: IMAGE, images: TEXT } }] }],
    ["metadata", { metadata: IMAGE }],
    ["a system", { system: [IMAGE] }],
    [
      "a JSON result of the AI SDK",
      {
        prompt: [
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                output: {
                  type: "json",
                  value: { type: "file", mediaType: "image/png", data: TEXT },
                },
              },
            ],
          },
        ],
      },
    ],
  ])("also what would be an image elsewhere, in %s", ([, body]) => {
    expect(estimateTokens(body)).toBeGreaterThanOrEqual(LENGTH / 4);
  });

  test("at any place of any request", () => {
    const name = fc.oneof(
      fc.constantFrom(
        "source",
        "data",
        "file",
        "content",
        "type",
        "text",
        "image",
        "parts",
        "bytes",
      ),
      // It is a number of answers.
      fc.string({ maxLength: 8 }).filter((each) => each !== "n"),
    );
    const path = fc.array(fc.oneof(name, fc.constant(0)), { minLength: 1, maxLength: 8 });
    const text = fc.constantFrom(PROSE, PROSE.slice(1), `${PROSE}.`);
    fc.assert(
      fc.property(path, text, (names, hidden) => {
        let body: unknown = hidden;
        for (const each of names.toReversed()) body = each === 0 ? [body] : { [each]: body };
        expect(estimateTokens(body)).toBeGreaterThanOrEqual(hidden.length / 4);
      }),
    );
  });
});

describe("images, audio and files count as what they are, not by their characters:", () => {
  test.for<readonly [string, unknown]>([
    ["OpenAI's image", asked({ type: "image_url", image_url: { url: dataUrl("image/png") } })],
    ["OpenAI's input image", asked({ type: "input_image", image_url: dataUrl("image/webp") })],
    ["OpenAI's audio", asked({ type: "input_audio", input_audio: { data: TEXT, format: "wav" } })],
    ["OpenAI's file", asked({ type: "file", file: { file_data: TEXT } })],
    [
      "OpenAI's PDF",
      asked({ type: "input_file", filename: "a.pdf", file_data: dataUrl("application/pdf") }),
    ],
    ["an image that OpenAI has made", { input: [{ type: "image_generation_call", result: TEXT }] }],
    [
      "Anthropic's image",
      asked({ type: "image", source: { type: "base64", media_type: "image/png", data: TEXT } }),
    ],
    [
      "an image in a tool's result",
      asked({
        type: "tool_result",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: TEXT } },
        ],
      }),
    ],
    [
      "Anthropic's PDF",
      asked({
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: TEXT },
      }),
    ],
    [
      "Gemini's image",
      { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: TEXT } }] }] },
    ],
    [
      "Gemini's image in its other spelling",
      { contents: [{ parts: [{ inline_data: { mime_type: "video/mp4", data: TEXT } }] }] },
    ],
    ["an interaction's image", { input: [{ type: "image", mime_type: "image/png", data: TEXT }] }],
    ["Bedrock's image", asked({ image: { format: "png", source: { bytes: TEXT } } })],
    ["Bedrock's PDF", asked({ document: { format: "pdf", name: "a", source: { bytes: TEXT } } })],
    [
      "Ollama's images",
      { format: "json", messages: [{ role: "user", content: "", images: [TEXT, TEXT] }] },
    ],
    ["Mistral's audio", asked({ type: "input_audio", input_audio: TEXT })],
    [
      "base64 of several lines",
      asked({
        type: "image",
        source: { type: "base64", media_type: "image/png", data: `${TEXT}\r\n${TEXT}` },
      }),
    ],
  ])("%s", ([, body]) => {
    // Bytes that tell no size: an image of a million pixels, half a minute of audio, or ten pages.
    expect(estimateTokens(body)).toBeGreaterThan(400);
    expect(estimateTokens(body)).toBeLessThan(31_200);
  });
});
