/** Whether denials of a replica are believed. */
export interface Trust {
  /** Whether to ask the replica. */
  asks(nowMs: number): boolean;
  /** Whether its denials end requests, because the primary has confirmed one lately. */
  believes(nowMs: number): boolean;
  /** The primary denied what the replica denied. */
  confirm(nowMs: number): void;
  /** The primary admitted what the replica denied. */
  refute(nowMs: number): void;
}

/**
 * How long one denial of the primary confirms those of the replica. It costs each isolate one long trip a minute for a
 * client that is denied anyway.
 */
const TRUST_MS = 60_000;

/** How long a replica that was wrong is not asked: it may have another primary, or have lost the link to its own. */
const DISTRUST_MS = 60_000;

export function createTrust(): Trust {
  let trustedUntilMs = -Infinity;
  let distrustedUntilMs = -Infinity;
  return {
    asks: (nowMs) => nowMs >= distrustedUntilMs,
    believes: (nowMs) => nowMs < trustedUntilMs,
    confirm(nowMs) {
      trustedUntilMs = nowMs + TRUST_MS;
    },
    refute(nowMs) {
      trustedUntilMs = -Infinity;
      distrustedUntilMs = nowMs + DISTRUST_MS;
    },
  };
}
