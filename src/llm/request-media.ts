/** An object or list in a request, and where it stands. What is in a list stands where the list does. */
export interface Placed {
  readonly value: object;
  readonly name: string;
  readonly holder: Placed | undefined;
}

/** Where requests carry images, audio, video and files: a name, a holder's name and a name, or a holder's type and a name. */
const PLACES = new Set([
  // OpenAI, and those like it.
  "image_url",
  "image_url.url",
  "audio_url.url",
  "video_url.url",
  "document_url",
  "input_audio",
  "input_audio.data",
  "file_data",
  "image_generation_call:result",
  // Anthropic.
  "base64:data",
  // Bedrock's Converse.
  "source.bytes",
  // Gemini's content and Interactions.
  "inlineData.data",
  "inline_data.data",
  "audio:data",
  "document:data",
  "image:data",
  "video:data",
  // Ollama.
  "images",
  // The AI SDK.
  "data:data",
  "file:data",
  "file-data:data",
  "image-data:data",
  "media:data",
  "reasoning-file:data",
]);

/** These may also carry text: the type says which. */
const TYPED = new Set(["bytes", "data", "file_data"]);

/** What says the type. Bedrock and OpenAI's audio have a format, such as `pdf` and `wav`. */
const TYPES = ["media_type", "mediaType", "mime_type", "mimeType", "format", "filename"];

/** Media types, formats and file names of data that is not plain text. */
const BINARY =
  /^(?:audio|image|video)\/|^application\/(?:epub\+zip|msword|pdf|vnd\.|zip)|(?:^|\.)(?:docx?|flac|gif|jpe?g|mkv|mov|mp[34]|mpe?g|ogg|opus|pcm16|pdf|png|pptx?|wav|webm|webp|xlsx?)$/i;

/** Types of text that begin like binary ones, such as `image/svg+xml`. */
const TEXTUAL = /[+.](?:json|xml)$/i;

/** RFC 2397. */
const DATA_URL = /^data:([^,;]*)[^,]*;base64,/i;

const BASE64 = /^[\w+/=\r\n-]*$/;

/**
 * Whether a string is media: it stands where requests carry media, is base64, and its type is not one of text. A string that only
 * looks like base64 is text.
 */
export function isMedia(text: string, name: string, holder: Placed | undefined): boolean {
  if (!isMediaPlace(name, holder)) return false;
  const url = DATA_URL.exec(text);
  return url
    ? isBinary(url[1]!) && BASE64.test(text.slice(url[0].length))
    : hasBinaryType(name, holder) && BASE64.test(text);
}

/** Whether bytes in this place are not text. Only requests that code makes have bytes. */
export function hasBinaryType(name: string, holder: Placed | undefined): boolean {
  if (!TYPED.has(name)) return true;
  const type = typeOf(holder) ?? typeOf(holder?.holder);
  return type === undefined ? name === "file_data" : isBinary(type);
}

function isMediaPlace(name: string, holder: Placed | undefined): boolean {
  return (
    PLACES.has(name) ||
    PLACES.has(`${holder?.name}.${name}`) ||
    PLACES.has(`${String(memberOf(holder, "type"))}:${name}`)
  );
}

function typeOf(placed: Placed | undefined): string | undefined {
  return TYPES.map((name) => memberOf(placed, name)).find((type) => typeof type === "string");
}

const memberOf = (placed: Placed | undefined, name: string): unknown =>
  placed && (placed.value as Readonly<Record<string, unknown>>)[name];

const isBinary = (type: string) => BINARY.test(type) && !TEXTUAL.test(type);
