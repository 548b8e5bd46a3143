import type { WriteStream } from "node:tty";

const CODES = {
  bold: [1, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const;

export type Style = keyof typeof CODES;

/** Colours a text where the stream is a terminal. Not `styleText`, which the first versions of Node 20 lack. */
export function styled(style: Style, text: string, stream: WriteStream = process.stdout): string {
  if (!hasColours(stream)) return text;
  const [on, off] = CODES[style];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

/** As https://no-color.org and https://force-color.org say. */
function hasColours(stream: WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0";
  return stream.isTTY && TERM !== "dumb";
}
