import { randomBytes } from "node:crypto";

import type {
  GatewayFacts,
  HeaderProbe,
  SpellingProbe,
  UnreachableGateway,
} from "./gateway-facts.ts";
import { type Fetch, type HttpAnswer, httpClient } from "./http.ts";
import { reasonOf } from "./patience.ts";

export interface GatewayOptions {
  readonly url: URL;
  /** The address of `ADMIN_HOST`. Default: `url`. */
  readonly adminUrl?: URL | undefined;
  readonly token?: string | undefined;
  readonly path: string;
  /** The method with which the path is limited. Default: `GET`. */
  readonly method?: string | undefined;
  readonly identityHeader: string;
  readonly now: () => number;
}

/** Header fields in which proxies state the client's address. */
const ADDRESS_HEADERS = ["x-forwarded-for", "cf-connecting-ip", "x-real-ip"];

/** The counts of the last hour. */
const STATS = "/_tidegate/api/v1/stats?step=minute&last=1h";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Asks a gateway from outside, as any client can. It takes quota of the clients that it plays. */
export async function gatherGateway(
  options: GatewayOptions,
): Promise<GatewayFacts | UnreachableGateway> {
  const { url, adminUrl, token, path, method, identityHeader, now } = options;
  const ask = httpClient(url, now);
  const askLimited: Fetch = (to, fields) => ask(to, fields, method);
  const askAdmin = adminUrl ? httpClient(adminUrl, now) : ask;
  try {
    const live = await ask("/_tidegate/live");
    const health = await askAdmin("/_tidegate/health");
    const admin = await ask("/_tidegate/api/v1/rules");
    const ownAdmin = adminUrl && (await askAdmin("/_tidegate/api/v1/rules"));
    const stats = token === undefined ? undefined : await askAdmin(STATS, bearer(token));
    const limited = [await askLimited(path), await askLimited(path)];
    const headers: HeaderProbe[] = [];
    for (const header of new Set([identityHeader, ...ADDRESS_HEADERS])) {
      headers.push(await probeHeader(askLimited, path, header));
    }
    const { spellings, hostile } = spellingsOf(path);
    return {
      url,
      path,
      live,
      health,
      admin,
      ownAdmin,
      stats,
      limited,
      headers,
      spellings: await probeSpellings(askLimited, spellings),
      hostile: await probeSpellings(askLimited, hostile),
    };
  } catch (error) {
    return { url, reason: reasonOf(error) };
  }
}

async function probeHeader(ask: Fetch, path: string, header: string): Promise<HeaderProbe> {
  const isAddress = ADDRESS_HEADERS.includes(header);
  const randomPartition = isAddress ? address : identity;
  const same = await askEach(ask, path, header, Array<string>(3).fill(randomPartition()));
  return {
    header,
    isAddress,
    same,
    others: await askEach(ask, path, header, [randomPartition(), randomPartition()]),
  };
}

async function askEach(ask: Fetch, path: string, header: string, values: readonly string[]) {
  const answers: HttpAnswer[] = [];
  for (const value of values) answers.push(await ask(path, { [header]: value }));
  return answers;
}

/** A client without any request before. */
export function identity(): string {
  return `doctor-${randomBytes(8).toString("hex")}`;
}

/** An address of the range for examples, each in a network of its own. */
function address(): string {
  const [a, b] = [randomBytes(2), randomBytes(2)].map((bytes) => bytes.toString("hex"));
  return `2001:db8:${a}:${b}::1`;
}

interface Spelling {
  readonly path: string;
  readonly control?: string;
}

/** How a path can be spelt so that some origin reads it as the same one. */
function spellingsOf(target: string): {
  readonly spellings: readonly Spelling[];
  readonly hostile: readonly Spelling[];
} {
  const [path = "/"] = target.split("?");
  // The slash between the first two segments.
  const at = path.indexOf("/", 1);
  const between = (text: string) => path.slice(0, at) + text + path.slice(at + 1);
  const inner =
    at > 0 && at < path.length - 1
      ? [
          { path: between("%2F"), control: between("-") },
          { path: between(";x/"), control: between("-x/") },
        ]
      : [];
  return {
    spellings: [{ path: `/${path}` }, { path: `/.${path}` }, ...inner],
    hostile: [{ path: `/doctor/..%2F${path.slice(1)}` }, { path: `/doctor%5C${path.slice(1)}` }],
  };
}

async function probeSpellings(
  ask: Fetch,
  spellings: readonly Spelling[],
): Promise<SpellingProbe[]> {
  const probes: SpellingProbe[] = [];
  for (const { path, control } of spellings) {
    const answer = await ask(path);
    probes.push({
      path,
      answer,
      ...(control !== undefined && { control: { path: control, answer: await ask(control) } }),
    });
  }
  return probes;
}
