/** The used part of the platform's module; its full types would add a second set of web globals. */
declare module "cloudflare:workers" {
  export const env: Readonly<Record<string, unknown>>;
  /** A class whose public methods a worker's stub calls. */
  export class DurableObject {
    protected readonly ctx: object;
    protected readonly env: unknown;
    constructor(ctx: object, env: unknown);
  }
  /** The spans of the request, as `spanAttributes` uses them. */
  export const tracing: {
    getActiveSpan(): ActiveSpan | undefined;
    enterSpan<Result>(name: string, run: (span: ActiveSpan) => Result): Result;
  };
  interface ActiveSpan {
    readonly isTraced: boolean;
    setAttribute(key: string, value: string | number | boolean): this;
  }
  /** Keeps the request's context alive until the promise settles. */
  export function waitUntil(promise: Promise<unknown>): void;
}
