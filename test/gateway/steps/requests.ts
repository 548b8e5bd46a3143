import type { CountedRequest } from "./counted.ts";

/** How many characters a request has at most: what Node takes of a request's head, and Cloudflare of a URL. */
export const MOST = 16_000;

/** The parts of a request in which a client can write much. */
const FIELDS = [
  "cookie",
  "x-api-key",
  "authorization",
  "user-agent",
  "accept",
  "x-http-method-override",
  "x-forwarded-for",
] as const;
export const PARTS = ["path", "query", ...FIELDS] as const;

/** A text of a part: its beginning, and what is repeated until the part is full. */
export interface Text {
  readonly part: (typeof PARTS)[number];
  readonly begin: readonly string[];
  readonly repeat: readonly string[];
  readonly end: readonly string[];
  /** Its share of all characters. */
  readonly share: number;
}

/** Stands for another text each time it is repeated. */
export const OTHER = "OTHER";

const PATH_TOKENS =
  "/ / a b ; %3b %253b %2f %25 % %ff %C3 %C5%BF %20 %2520 %3f %23 ? = .x api login files x1 OTHER a; _tidegate/ %61 %2561".split(
    " ",
  );
const LIST_TOKENS = [
  "&",
  ";",
  ",",
  "=",
  "a",
  "%",
  "%ff",
  "%00",
  "%20",
  "+",
  " ",
  "[",
  "]",
  ".",
  '"',
  "\\",
  "_method",
  "api_key",
  "session",
  "DELETE",
  "GET",
  "%61",
  "%C5%BF",
  "Basic ",
  "Bearer ",
  "192.0.2.1",
  ":",
  "%5B",
  OTHER,
];

export const tokensOf = (part: Text["part"]) => (part === "path" ? PATH_TOKENS : LIST_TOKENS);

function write({ begin, repeat, end, share }: Text, size: number): string {
  const fixed = [...begin, ...end].join("").length;
  const room = Math.floor(size * share) - fixed;
  let text = begin.join("");
  let count = 0;
  const piece = () =>
    repeat.map((token) => (token === OTHER ? (count++).toString(36) : token)).join("");
  for (let next = piece(); next !== "" && text.length + next.length <= room; next = piece())
    text += next;
  return text + end.join("");
}

/** The request of some texts, which together have so many characters. */
export function requestOf(texts: readonly Text[], size: number): CountedRequest {
  let path = "/";
  let query = "";
  // Of a client whose address is known, unless a text takes its place.
  const headers: Record<string, string> = { "x-forwarded-for": "198.51.100.7" };
  const shares = texts.reduce((sum, { share }) => sum + share, 0);
  for (const text of texts) {
    const written = write({ ...text, share: text.share / shares }, size);
    if (text.part === "path") path = `/${written.replaceAll(/[?# ]/g, "")}`;
    else if (text.part === "query") query = `?${written.replaceAll(/[# ]/g, "")}`;
    else headers[text.part] = written;
  }
  return { path: path + query, headers };
}
