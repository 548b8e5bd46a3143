import { describe, expect, test } from "vitest";

import { estimateTokens } from "../../src/llm/estimate-tokens.ts";
import { imageSize } from "../../src/llm/media-tokens.ts";

/** The beginnings of images of a size, with what else may stand before it. */
const IMAGES = {
  png: (width: number, height: number) => {
    const bytes = Buffer.alloc(90);
    bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  gif: (width: number, height: number) => {
    const bytes = Buffer.alloc(90);
    bytes.write("GIF89a", "latin1");
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
    return bytes;
  },
  jpeg: (width: number, height: number) => {
    // A picture of the picture of 40,000 bytes, and a table, stand before the size.
    const bytes = Buffer.alloc(41_000);
    bytes.writeUInt32BE(0xffd8ffe1, 0);
    bytes.writeUInt16BE(40_000, 4);
    bytes.writeUInt32BE(0xffc40010, 40_004);
    bytes.writeUInt32BE(0xffc20011, 40_022);
    bytes.writeUInt16BE(height, 40_027);
    bytes.writeUInt16BE(width, 40_029);
    return bytes;
  },
  webp: (width: number, height: number) => {
    const bytes = Buffer.alloc(90);
    bytes.write("RIFF\0\0\0\0WEBPVP8 ", "latin1");
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
    return bytes;
  },
  "webp of VP8X": (width: number, height: number) => {
    const bytes = Buffer.alloc(90);
    bytes.write("RIFF\0\0\0\0WEBPVP8X", "latin1");
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
  "lossless webp": (width: number, height: number) => {
    const bytes = Buffer.alloc(90);
    bytes.write("RIFF\0\0\0\0WEBPVP8L", "latin1");
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
    return bytes;
  },
};

describe.each(Object.entries(IMAGES))("a %s", (_name, image) => {
  test("tells its size, and none if it ends before that", () => {
    for (const [width, height] of [
      [1, 1],
      [640, 480],
      [4_032, 3_024],
      [1_999, 16_000],
    ] as const) {
      expect(imageSize(image(width, height))).toEqual({ width, height });
    }
    expect(imageSize(image(640, 480).subarray(0, 8))).toBeUndefined();
  });
});

test("other bytes tell no size", () => {
  for (const bytes of ["", "%PDF-1.7 ...............", "RIFF0000WAVEfmt ............."]) {
    expect(imageSize(Buffer.from(bytes, "latin1"))).toBeUndefined();
  }
});

const openai = (model: string, width: number, height: number) => {
  const url = `data:image/png;base64,${IMAGES.png(width, height).toString("base64")}`;
  const content = [{ type: "image_url", image_url: { url } }];
  return { model, max_tokens: 1, messages: [{ role: "user", content }] };
};
const anthropic = (model: string, width: number, height: number) => {
  const data = IMAGES.jpeg(width, height).toString("base64");
  const content = [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data } }];
  return { model, max_tokens: 1, messages: [{ role: "user", content }] };
};
const gemini = (_model: string, width: number, height: number) => {
  const data = IMAGES.png(width, height).toString("base64");
  return {
    contents: [{ parts: [{ inlineData: { mimeType: "image/png", data } }] }],
    generationConfig: { maxOutputTokens: 1 },
  };
};

/** The tokens of the image by the formula of the provider's guide. */
test.for([
  // 85, and 170 for each tile of 512 after the shorter side is 768.
  [openai, "gpt-4o", 1_024, 1_024, 765, 3],
  [openai, "gpt-4o", 2_048, 4_096, 1_105, 3],
  [openai, "gpt-4o", 500, 500, 255, 2],
  // 2,833 and 5,667.
  [openai, "gpt-4o-mini", 1_024, 1_024, 25_501, 2],
  [openai, "gpt-4o-mini", 500, 500, 8_500, 2],
  // 70 and 140.
  [openai, "gpt-5", 1_024, 1_024, 630, 3],
  // Patches of 32, up to 1,536 of them, times 1.62, 2.46 and 1.72.
  [openai, "gpt-5-mini", 1_024, 1_024, 1_659, 2],
  [openai, "gpt-5-mini", 4_032, 3_024, 2_489, 2],
  [openai, "gpt-4.1-nano", 1_024, 1_024, 2_520, 2],
  [openai, "o4-mini", 1_024, 1_024, 1_762, 2],
  // A token for 750 pixels, up to 1,600, or 4,784 for newer models.
  [anthropic, "claude-sonnet-4-5", 1_092, 1_092, 1_590, 2],
  [anthropic, "claude-sonnet-4-5", 1_000, 1_000, 1_334, 2],
  [anthropic, "claude-opus-5", 1_920, 1_080, 2_765, 2],
  [anthropic, "claude-opus-5", 4_032, 3_024, 4_784, 2],
  // 258 for each tile; 1,120 for Gemini 3.
  [gemini, "gemini-2.5-flash", 960, 540, 1_548, 2],
  [gemini, "gemini-2.5-flash", 384, 384, 258, 6],
  [gemini, "gemini-2.5-flash", 2_048, 2_048, 9 * 258, 2],
  [gemini, "gemini-3-flash", 1_024, 1_024, 1_120, 2],
] as const)(
  "%o of %s, %d by %d, is no less than %d",
  ([request, model, width, height, bill, most]) => {
    const text = JSON.stringify(request(model, width, height));
    const empty = JSON.parse(text.replace(/"(?:data:[^"]*|[\w+/=]{64,})"/, '""')) as unknown;
    const tokens = estimateTokens(JSON.parse(text)) - estimateTokens(empty);
    expect(tokens).toBeGreaterThanOrEqual(bill);
    expect(tokens / bill).toBeLessThanOrEqual(most);
  },
);

const asked = (part: unknown) => ({ messages: [{ role: "user", content: [part] }], max_tokens: 1 });

test("an image by its address counts as one of a million pixels", () => {
  const url = "https://a.example/tide.png";
  for (const part of [
    { type: "image_url", image_url: { url } },
    { type: "input_image", image_url: url },
    { type: "image", source: { type: "url", url } },
  ]) {
    expect(estimateTokens(asked(part))).toBeGreaterThanOrEqual(1_659);
  }
  expect(estimateTokens(asked({ type: "text", text: url }))).toBeLessThan(60);
});

test("audio counts by its seconds at 64 kbit/s, video at 1 Mbit/s, a document by its pages", () => {
  const of = (mimeType: string, bytes: number) => ({
    contents: [
      { parts: [{ inlineData: { mimeType, data: Buffer.alloc(bytes).toString("base64") } }] },
    ],
    generationConfig: { maxOutputTokens: 1 },
  });
  const base = estimateTokens(of("audio/mp3", 48)) - 32;
  // A minute at 32 tokens a second; ten seconds at 258 and 32; three pages at 560.
  expect(estimateTokens(of("audio/mp3", 480_000)) - base).toBe(1_920);
  expect(estimateTokens(of("video/mp4", 1_250_000)) - base).toBeGreaterThanOrEqual(2_900);
  expect(estimateTokens(of("application/pdf", 90_000)) - base).toBeGreaterThanOrEqual(3 * 560);
});

test("bytes that code gives the AI SDK count as the same image", () => {
  const prompt = (data: unknown) => ({
    prompt: [{ role: "user", content: [{ type: "file", mediaType: "image/png", data }] }],
    maxOutputTokens: 1,
  });
  const image = IMAGES.png(1_024, 1_024);
  const tokens = estimateTokens(prompt(new Uint8Array(image)));
  expect(tokens).toBe(estimateTokens(prompt(image.toString("base64"))));
  expect(tokens).toBeGreaterThanOrEqual(1_659);
});
