/*
 * The tokens of media by the formulas of the providers' guides: the greatest that a model in the place of the media counts. They
 * are no less than the bill for images. Of audio, video and documents only the length in bytes is known, so that a usual density counts.
 */

export interface Media {
  /** Its beginning, in which images tell their size. */
  readonly head: Uint8Array;
  readonly bytes: number;
  /** Its media type, format or file name; empty if it is unknown. */
  readonly type: string;
  /** The model of the request; empty if it is unknown. */
  readonly model: string;
  /** Whether Google's models may read it, and others. */
  readonly isForGoogle: boolean;
  readonly isForOthers: boolean;
}

/** Bytes that take so many tokens: a second of audio at 64 kbit/s, of video at 1 Mbit/s, and a page with a picture. */
const DENSITIES: readonly (readonly [
  type: RegExp,
  bytes: number,
  google: number,
  others: number,
])[] = [
  [/audio|aac|flac|m4a|mp3|mpga|ogg|opus|pcm|wav/i, 8_000, 32, 12],
  [/video|mkv|mov|mp4|mpe?g|webm/i, 125_000, 300, 300],
  [/pdf|doc|ppt|xls|zip|application|file/i, 30_000, 560, 3_000],
];

/** An image whose size is unknown is taken for one of a million pixels. */
const USUAL = { width: 1_024, height: 1_024 };

export function mediaTokens({ head, bytes, type, model, ...reader }: Media): number {
  const size = imageSize(head);
  const density = size ? undefined : DENSITIES.find(([types]) => types.test(type));
  if (density) {
    const [, each, google, others] = density;
    const most = Math.max(reader.isForGoogle ? google : 0, reader.isForOthers ? others : 0);
    return Math.ceil(Math.max(1, bytes / each) * most);
  }
  const { width, height } = size ?? USUAL;
  return Math.max(
    reader.isForGoogle ? googlesImage(width, height) : 0,
    reader.isForOthers ? Math.ceil(othersImage(width, height, model)) : 0,
  );
}

/** Gemini 3 has 1,120 for each, and others 258 for each tile: of 768 pixels, or of two thirds of the shorter side. */
function googlesImage(width: number, height: number): number {
  const tilesOf = (side: number) => Math.ceil(width / side) * Math.ceil(height / side);
  const tiles = Math.max(tilesOf(768), tilesOf(Math.max(1, Math.min(width, height) / 1.5)));
  return Math.max(1_120, 258 * tiles);
}

/**
 * OpenAI has 1.62 for each patch of 32 pixels, up to 1,536 patches, and at most 420 for the tile of a small image. Anthropic has one
 * for 750 pixels, up to 4,784.
 */
function othersImage(width: number, height: number, model: string): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32) * 1.62;
  const most = /^(?:gpt|o\d|chatgpt)/.test(model) ? 2_489 : 4_784;
  const [, factor = 1] = FACTORS.find(([name]) => name.test(model)) ?? [];
  return Math.max(420, Math.min(patches, most)) * factor;
}

/** Small models of OpenAI count more for an image, so that it costs as much as with others. */
const FACTORS: readonly (readonly [model: RegExp, factor: number])[] = [
  [/4o-mini/, 21],
  [/nano/, 1.52],
  [/o4-mini/, 1.07],
];

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The first bytes of images. */
const PNG = 0x89504e47;
const GIF = 0x47494638;
const RIFF = 0x52494646;
const JPEG = 0xffd8;

/** The size that the beginning of a PNG, GIF, WebP or JPEG tells; `undefined` if it tells none. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const magic = view.getUint32(0);
    if (magic === PNG) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (magic === GIF) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (magic === RIFF) return webpSize(view);
    return magic >>> 16 === JPEG ? jpegSize(view) : undefined;
  } catch {
    // It ends before its size.
    return undefined;
  }
}

/** The fourth letter of its first chunk says which of three formats it has. */
function webpSize(view: DataView): ImageSize | undefined {
  const format = String.fromCharCode(view.getUint8(15));
  // Numbers of three bytes, from 0.
  const sideAt = (at: number) => (view.getUint32(at - 1, true) >>> 8) + 1;
  if (format === "X") return { width: sideAt(24), height: sideAt(27) };
  if (format === "L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (format !== " ") return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** Passes over segments up to the one with the size: SOF0 to SOF15, but for three tables among them. */
function jpegSize(view: DataView): ImageSize {
  let at = 2;
  for (;;) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + view.getUint16(at + 2);
  }
}
