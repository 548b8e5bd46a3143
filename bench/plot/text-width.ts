/** Widths in ems, of the widest of the usual fonts: a text that fits with it fits with all. */
const NARROW = 0.4;
const USUAL = 0.64;
const UPPER = 0.78;
const WIDE = 1;
const BOLD = 1.1;

export interface Font {
  readonly size: number;
  readonly bold?: boolean;
}

/** An upper estimate of how wide a line of text is, as no browser is there to measure it. */
export function textWidth(text: string, { size, bold = false }: Font): number {
  const ems = [...text].reduce((sum, character) => sum + widthOf(character), 0);
  return ems * size * (bold ? BOLD : 1);
}

function widthOf(character: string): number {
  if (/[\sijltfr.,:;'|!()[\]/-]/.test(character)) return NARROW;
  if (/[mwMW@%]/.test(character)) return WIDE;
  return /[A-Z]/.test(character) ? UPPER : USUAL;
}

/** Between words, but not between a number and its unit. */
const BREAK = / (?!(?:%|ms|s|µs|KB)(?:\W|$))/;

/** Breaks a text between words, so that each line is at most so wide. */
export function wrap(text: string, font: Font, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(BREAK)) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const STEP = 8;

/** The same number of lines, as equal in length as they can be: no word stands alone in the last one. */
export function balance(text: string, font: Font, width: number): string[] {
  const lines = wrap(text, font, width);
  let best = lines;
  for (let narrower = width - STEP; narrower > 0; narrower -= STEP) {
    const tried = wrap(text, font, narrower);
    if (tried.length > lines.length) break;
    best = tried;
  }
  return best;
}
