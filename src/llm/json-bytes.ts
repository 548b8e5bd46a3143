export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const COLON = 0x3a;
export const COMMA = 0x2c;

/** A text without its escapes; the text itself if an escape in it is wrong. */
export function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

export const isSpace = (byte: number) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const isEndOfScalar = (byte: number) =>
  byte === COMMA || byte === COLON || byte === CLOSE || byte === CLOSE_LIST || isSpace(byte);

export const isByteOrderMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf;
