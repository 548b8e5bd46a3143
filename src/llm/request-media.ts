import type { Media } from "./media-tokens.ts";

/** An object or list in a request, and where it stands. What is in a list stands where the list does. */
export interface Placed {
  readonly value: object;
  readonly name: string;
  readonly holder: Placed | undefined;
}

/** The paths at which requests carry images, audio, video and files. What a tool is called with, for example, is text. */
const PATHS = [
  // OpenAI, and those like it.
  /^(?:messages|input)\.content\.(?:(?:audio|document|image|video)_url(?:\.url)?|input_audio(?:\.data)?|(?:file\.)?file_data)$/,
  /^input\.(?:output\.(?:image_url|file_data)|result)$/,
  // Anthropic: of a message, of a tool's result and of a document.
  /^messages\.content\.(?:(?:source\.)?content\.)?source\.data$/,
  // Bedrock's Converse.
  /^messages\.content\.(?:toolResult\.content\.)?(?:audio|document|image|video)\.source\.bytes$/,
  // Gemini's generateContent and Interactions.
  /^contents\.parts\.(?:functionResponse\.parts\.)?(?:inlineData|inline_data)\.data$/,
  /^input\.(?:content\.)?data$/,
  // Ollama.
  /^(?:messages\.)?images$/,
  // The AI SDK: of a message and of a tool's result.
  /^prompt\.content\.(?:output\.value\.)?data(?:\.data)?$/,
];

/** Longer than any of these. */
const LONGEST_PATH = 8;

/** The types of objects whose `data` or `result` is media. */
const CARRIERS = new Set([
  "audio",
  "base64",
  "document",
  "file",
  "file-data",
  "image",
  "image-data",
  "image_generation_call",
  "media",
  "reasoning-file",
  "video",
]);

/** The names of objects whose `data` is media. */
const HOLDERS = new Set(["inlineData", "inline_data", "input_audio"]);

/** These may also carry text: the type says which. */
const TYPED = new Set(["bytes", "data", "file_data"]);

/** Members that name the type. Bedrock and OpenAI's audio have a format, such as `pdf` and `wav`. */
const TYPES = ["media_type", "mediaType", "mime_type", "mimeType", "format", "filename"];

/** Media types, formats and file names of data that is not plain text. */
const BINARY =
  /^(?:audio|image|video)\/|^application\/(?:epub\+zip|msword|pdf|vnd\.|zip)|(?:^|\.)(?:docx?|flac|gif|jpe?g|mkv|mov|mp[34]|mpe?g|ogg|opus|pcm16|pdf|png|pptx?|wav|webm|webp|xlsx?)$/i;

/** Types of text that begin like binary ones, such as `image/svg+xml`. */
const TEXTUAL = /[+.](?:json|xml)$/i;

/** The type and the data of a text as RFC 2397 describes it; `undefined` for any other text. */
function readDataUrl(text: string): { readonly type: string; readonly data: string } | undefined {
  const comma = text.indexOf(",");
  if (comma === -1 || text.slice(0, 5).toLowerCase() !== "data:") return undefined;
  const [type, ...parameters] = text.slice(5, comma).split(";");
  if (parameters.at(-1)?.toLowerCase() !== "base64") return undefined;
  return { type: type!, data: text.slice(comma + 1) };
}

const BASE64 = /^[\w+/=\r\n-]*$/;

/** A shorter string counts, so that few are looked at. */
const SHORTEST = 64;

/**
 * The media that a string is; `undefined` if it is a text. Media stands where requests carry it, is base64, and its type is not one
 * of text. A string that only looks like base64 is text.
 */
export function mediaIn(text: string, name: string, holder: Placed | undefined): Media | undefined {
  if (text.length < SHORTEST || !isMediaPlace(name, holder)) return undefined;
  const url = readDataUrl(text);
  if (url ? !isBinary(url.type) : !hasBinaryType(name, holder)) return undefined;
  const data = url?.data ?? text;
  if (!BASE64.test(data)) return undefined;
  const head = decoded(data.slice(0, HEAD));
  return describe(head, (data.length * 3) / 4, url?.type, name, holder);
}

/** Where a request names an image by its address. */
const ADDRESSES =
  /^(?:messages|input)\..*(?:image_url(?:\.url)?|source\.url)$|^prompt\.content\.data(?:\.url)?$/;

/** The image whose address a string is; `undefined` for any other text. */
export function mediaAt(text: string, name: string, holder: Placed | undefined): Media | undefined {
  if (!/^https?:/i.test(text) || !ADDRESSES.test(pathOf(name, holder))) return undefined;
  return describe(new Uint8Array(), 0, "image", name, holder);
}

/** The media that bytes are; `undefined` if they are a text. Only requests that code makes have bytes. */
export function mediaOf(
  view: ArrayBufferView,
  name: string,
  holder: Placed | undefined,
): Media | undefined {
  if (!hasBinaryType(name, holder)) return undefined;
  const head = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return describe(head, view.byteLength, undefined, name, holder);
}

/** More than stands before the size of a usual image. A multiple of four letters, which are whole bytes. */
const HEAD = 87_040;

function decoded(base64: string): Uint8Array {
  try {
    const plain = base64
      .replace(/[\r\n]/g, "")
      .replaceAll("-", "+")
      .replaceAll("_", "/");
    return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** The places from which Google's models alone read media, and those from which any model does. */
const OF_GOOGLE = /^(?:contents|input\.(?:content\.)?data$)/;
const OF_ANY = /^prompt/;

function describe(
  head: Uint8Array,
  bytes: number,
  ownType: string | undefined,
  name: string,
  holder: Placed | undefined,
): Media {
  const path = pathOf(name, holder);
  const isForGoogle = OF_GOOGLE.test(path) || OF_ANY.test(path);
  const type = ownType ?? typeOf(holder) ?? typeOf(holder?.holder) ?? path;
  let body = holder;
  while (body?.holder) body = body.holder;
  const model = String(memberOf(body, "model") ?? "");
  return { head, bytes, type, model, isForGoogle, isForOthers: !OF_GOOGLE.test(path) };
}

/** Whether bytes or base64 in this place are not text. */
function hasBinaryType(name: string, holder: Placed | undefined): boolean {
  if (!TYPED.has(name)) return true;
  const type = typeOf(holder) ?? typeOf(holder?.holder);
  if (type !== undefined) return isBinary(type);
  return name === "file_data" || holder?.name === "input_audio";
}

function isMediaPlace(name: string, holder: Placed | undefined): boolean {
  const path = pathOf(name, holder);
  if (!PATHS.some((each) => each.test(path))) return false;
  if (name !== "data" && name !== "result") return true;
  // Version 7 of the AI SDK has an object with the data.
  const carrier = holder?.name === "data" ? holder.holder : holder;
  // A tool's result that is JSON is a text for the model.
  if (path.includes(".value.") && memberOf(carrier?.holder, "type") !== "content") return false;
  return HOLDERS.has(holder?.name ?? "") || CARRIERS.has(String(memberOf(carrier, "type")));
}

function pathOf(name: string, holder: Placed | undefined): string {
  const names = [name];
  for (let at = holder; at && names.length <= LONGEST_PATH; at = at.holder) names.unshift(at.name);
  // The body itself has no name.
  return names.join(".").slice(1);
}

function typeOf(placed: Placed | undefined): string | undefined {
  return TYPES.map((name) => memberOf(placed, name)).find((type) => typeof type === "string");
}

const memberOf = (placed: Placed | undefined, name: string): unknown =>
  placed && (placed.value as Readonly<Record<string, unknown>>)[name];

const isBinary = (type: string) => BINARY.test(type) && !TEXTUAL.test(type);
