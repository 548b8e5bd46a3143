/*
 * The estimated size of a text, in hundredths of a token. The weights are fitted to texts of 18 languages, code, tables, numbers
 * and base64: of each, the estimate is 1.05 to 1.98 times what OpenAI's o200k counts. Anthropic's tokenizers count more than that one.
 */

export const HUNDREDTHS = 100;

/** A word of Latin letters, which begins anew at a capital after small letters; each letter of it beyond the fourth; each accent. */
const WORD = 210;
const LONG = 17;
const ACCENT = 34;
const SHORT_WORD = 4;

const DIGIT = 68;
const SIGN = 37;

/** Spaces and line ends, as many as there are. A single space is a part of the word after it. */
const SPACES = 102;

/** Letters of Greek to Arabic, of the scripts of India and Southeast Asia, and of all others, such as Chinese; also emoji. */
const GREEK_TO_ARABIC = 61;
const INDIC = 45;
const OTHER = 153;

const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
const isAccented = (code: number) =>
  (code >= 0xc0 && code <= 0x24f) || (code >= 0x1e00 && code <= 0x1eff);

export function textTokens(text: string): number {
  let sum = 0;
  /** How many letters the word has that goes on. */
  let letters = 0;
  let wasCapital = false;
  let wasSpace = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isCapital = code >= 0x41 && code <= 0x5a;
    const hasAccent = isAccented(code);
    if (isCapital || hasAccent || (code >= 0x61 && code <= 0x7a)) {
      const goesOn = letters > 0 && (isCapital ? wasCapital : !wasCapital || letters === 1);
      letters = goesOn ? letters + 1 : 1;
      sum += (goesOn ? 0 : WORD) + (letters > SHORT_WORD ? LONG : 0) + (hasAccent ? ACCENT : 0);
      wasCapital = isCapital;
      wasSpace = false;
      continue;
    }
    letters = 0;
    const space = isSpace(code);
    if (space) {
      const isSingle = code === 0x20 && !isSpace(text.charCodeAt(at + 1));
      if (!wasSpace && !isSingle) sum += SPACES;
    } else sum += weightOf(code);
    wasSpace = space;
  }
  return sum;
}

/** That of a character that is no Latin letter and no space. */
function weightOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code < 0x7f) return SIGN;
  if (code >= 0x370 && code <= 0x6ff) return GREEK_TO_ARABIC;
  return code >= 0x900 && code <= 0x1cff ? INDIC : OTHER;
}
