import type { Fault, Health, Problem } from "./answers.ts";

/** Beside the page, wherever it is served from. */
const BASE = "api/v1";

/** A gateway that has not answered by then will not. */
const TIMEOUT_MS = 20_000;

/** A page that answers in place of a gateway has errors of other shapes. */
function isFault(error: Partial<Fault>): error is Fault {
  const texts = [error.path, error.value, error.remedy];
  return texts.every((text) => typeof text === "string");
}

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
    this.faults = [errors].flat().filter(isFault);
    this.version = version;
  }

  /** The gateway has no such path, or does not count. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 501;
  }
}

/** A page to sign in at, for example. */
const NO_JSON = "Something before the gateway answered in its place, and not with JSON.";

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
    if (response.ok && answer === undefined) {
      throw new ApiError({ status: response.status, title: NO_JSON });
    }
    // While the store does not answer, health says so with a 503: that is no refusal.
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

/** Whether the token may write; a gateway that does not say its role refuses a write itself. */
export async function mayWrite(api: Api): Promise<boolean> {
  const { role } = await api.get<Health>("/health");
  return role !== "read";
}
