import { identity } from "./gateway.ts";
import { type HttpAnswer, httpClient } from "./http.ts";
import { reasonOf } from "./patience.ts";

/** A preview's answers before and after a client has asked the gateway. */
export interface PreviewFacts {
  readonly url: URL;
  /** How often the client has asked the gateway. */
  readonly requests: number;
  /** The gateway's answers to it. */
  readonly there: readonly HttpAnswer[];
  /** The preview's answer to a new client. */
  readonly before: HttpAnswer;
  /** Its answer to the client of the gateway. */
  readonly client: HttpAnswer;
  /** Its answers to two other clients, right after that. */
  readonly after: readonly HttpAnswer[];
}

export interface UnreachablePreview {
  readonly url: URL;
  readonly reason: string;
}

export interface PreviewOptions {
  readonly gateway: URL;
  readonly preview: URL;
  readonly path: string;
  readonly identityHeader: string;
  readonly now: () => number;
}

/** More than a bucket refills, and than others take, while they are under way. */
const REQUESTS = 8;

/** Asks the gateway and a preview as one client. It takes quota of that client in both. */
export async function gatherPreview({
  gateway,
  preview,
  path,
  identityHeader,
  now,
}: PreviewOptions): Promise<PreviewFacts | UnreachablePreview> {
  const askPreview = httpClient(preview, now);
  const askGateway = httpClient(gateway, now);
  const client = { [identityHeader]: identity() };
  const another = () => ({ [identityHeader]: identity() });
  try {
    const before = await askPreview(path, another());
    const there = await Promise.all(
      Array.from({ length: REQUESTS }, () => askGateway(path, client)),
    );
    return {
      url: preview,
      requests: REQUESTS,
      there,
      before,
      client: await askPreview(path, client),
      after: [await askPreview(path, another()), await askPreview(path, another())],
    };
  } catch (error) {
    return { url: preview, reason: reasonOf(error) };
  }
}
