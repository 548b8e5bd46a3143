import { ReplyError } from "ioredis";

/** Something the bridge itself answers, as opposed to an error that Redis replied. */
export class BridgeError extends Error {
  override readonly name = "BridgeError";
  readonly status: number;
  /** After how many seconds the same request may be sent again. Only where its command was not sent. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export function isRedisError(error: unknown): error is Error {
  return error instanceof ReplyError;
}

export function unreachable(cause: Error | undefined): BridgeError {
  const why = cause ? ` (${cause.message})` : "";
  return new BridgeError(503, `ERR Redis is not reachable${why}. The command was not sent`);
}

/** Any other error than Redis's answer or the bridge's own is a connection that broke under a command. */
export function connectionLost(cause: unknown): Error {
  if (cause instanceof BridgeError || isRedisError(cause)) return cause;
  const plain = /^(Connection is closed|Reached the max retries)/.test(messageOf(cause));
  const detail = plain ? "" : ` (${messageOf(cause)})`;
  return new BridgeError(
    503,
    `ERR Redis went away before it replied. The command may have run${detail}`,
  );
}

export function statusOf(error: unknown): number {
  if (error instanceof BridgeError) return error.status;
  return isRedisError(error) ? 400 : 500;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
