import { MAX_FAULTS } from "../gateway/live/first-faults.ts";
import { type Fault, isNotAsked, type StoreError } from "../options/errors.ts";
import { NotSentError } from "../store/control/connection.ts";
import type { Trial } from "../store/control/trial.ts";
import type { Problem } from "./problem-answer.ts";

const TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  428: "Precondition Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
} as const;

export type RefusalStatus = keyof typeof TITLES;

/** Members of a problem document besides those of RFC 9457. */
export type MoreOfProblem = Pick<Problem, "version" | "errors" | "code" | "outcome">;

/** A request that gets a problem document as its answer. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: RefusalStatus;
  readonly more: MoreOfProblem;
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    status: RefusalStatus,
    detail: string,
    more: MoreOfProblem = {},
    fields: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.more = more;
    this.fields = fields;
  }

  get title(): string {
    return TITLES[this.status];
  }

  response(): Response {
    const { title, status, message: detail, more, fields } = this;
    const problem = {
      type: "about:blank",
      title,
      status,
      detail,
      ...more,
    } satisfies Problem;
    return new Response(JSON.stringify(problem), {
      status,
      headers: {
        ...fields,
        "Content-Type": "application/problem+json",
        "Cache-Control": "no-store",
      },
    });
  }
}

/** The answer of the gateway at its unused paths. */
export function nothingHere(): Refusal {
  return new Refusal(404, "The gateway has nothing at this path.");
}

/** A document or another body with faults. */
export function faulty(errors: readonly Fault[]): Refusal {
  const atLeast = errors.length === MAX_FAULTS ? "at least " : "";
  const count = errors.length === 1 ? "a fault" : `${atLeast}${errors.length} faults`;
  return new Refusal(422, `The body has ${count}.`, { errors });
}

/** Another author published in the meantime. */
export function outdated(version: number): Refusal {
  return new Refusal(412, `Version ${version} is published. Read it, and base the change on it.`, {
    version,
  });
}

/** A version is tried, which the author does not know of. */
export function onTrial({ version, percent }: Pick<Trial, "version" | "percent">): Refusal {
  const detail = `Version ${version} is tried on ${percent} percent of the clients. Give it to all, or take it back with a rollback; or base the change on it, which takes it back, too.`;
  return new Refusal(412, detail, { version });
}

/** Redis did not run the call, or wrote nothing, and said so. */
const NOT_DONE = ["ERR_STORE_REFUSED", "ERR_STORE_UNAUTHORIZED", "ERR_STORE_FOREIGN"];

/** Redis gave no usable answer. Only a write that was sent can have happened all the same. */
export function unavailable(error: StoreError, writes: boolean): Refusal {
  const { code, message } = error;
  const isNotDone = NOT_DONE.includes(code) || isNotAsked(error) || error instanceof NotSentError;
  const outcome = isNotDone ? "not-done" : "unknown";
  const advice = !isNotDone
    ? " The change may have been made all the same: read before you repeat it."
    : ` The change was not made.${isNotAsked(error) ? " Repeat it once GET /health is ok." : ""}`;
  return new Refusal(503, message + (writes ? advice : ""), { code, ...(writes && { outcome }) });
}
