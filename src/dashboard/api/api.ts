import type { Fault, Problem } from "./answers.ts";

/** Beside the page, wherever it is served from. */
const BASE = "api/v1";

/** A gateway that has not answered by then will not. */
const TIMEOUT_MS = 20_000;

/** A request that got no answer, or a refusal. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 if there was no answer. */
  readonly status: number;
  readonly faults: readonly Fault[];
  /** The version that is published, if it is another one. */
  readonly version: number | undefined;

  constructor({ status, title, detail, errors = [], version }: Problem) {
    super(detail ?? title);
    this.status = status;
    this.faults = errors;
    this.version = version;
  }

  /** The gateway has no such path, or does not count. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 501;
  }
}

export interface Sending {
  readonly body?: unknown;
  /** The version that a change is based on. */
  readonly ifMatch?: number;
}

export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** The admin API. Every failure is an ApiError. */
export interface Api {
  get<Answer>(path: string): Promise<Answer>;
  send<Answer>(method: Method, path: string, sending?: Sending): Promise<Answer>;
}

/**
 * @param token `undefined` where the server of the page adds it
 * @param refused told when a token is not accepted any more
 */
export function openApi(token: string | undefined, refused: (problem: ApiError) => void): Api {
  async function send<Answer>(
    method: Method,
    path: string,
    { body, ifMatch }: Sending = {},
  ): Promise<Answer> {
    const response = await fetch(BASE + path, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(ifMatch !== undefined && { "If-Match": `"${ifMatch}"` }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new ApiError({ status: 0, title: "The gateway did not answer." });
    });
    if (response.status === 204) return undefined as Answer;
    const answer: unknown = await response.json().catch(() => undefined);
    // Where the store does not answer, health says so with a 503: that is no refusal.
    if (response.ok || (path === "/health" && isHealth(answer))) return answer as Answer;
    const title = `The gateway answered with the status ${response.status}.`;
    const problem = new ApiError({ title, ...(answer as object), status: response.status });
    if (problem.status === 401) refused(problem);
    throw problem;
  }

  return { send, get: (path) => send("GET", path) };
}

function isHealth(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "live" in answer;
}

/**
 * Whether the token may write, which only a write shows. This one names no entry: a token that may write gets a 400, and any
 * other a 403.
 */
export async function mayWrite(api: Api): Promise<boolean> {
  try {
    await api.send("DELETE", "/lists/allow?id=none");
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 403) return false;
    if (error.status === 400) return true;
    throw error;
  }
}
