/** The width and height of an image, in pixels. */
export interface ImageSize {
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
