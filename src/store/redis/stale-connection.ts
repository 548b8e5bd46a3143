/**
 * Replies that a connection repeats until it is made anew: READONLY, where a replica stands behind the address of the old master;
 * LOADING, after a restart; NOAUTH, where the login is lost; UNBLOCKED, which comes with a change of role. In a script of Redis
 * before 7.0 other words stand in front of the reply.
 */
const STALE = /^(?:ERR Error running script .*?-)?(?:READONLY|LOADING|UNBLOCKED|NOAUTH)\b/;

/** A failover takes longer; and where the address is a replica's for good, clients keep their connection. */
const RENEW_AT_MOST_EVERY_MS = 1_000;

/**
 * Makes a function that says whether a failed command calls for a new connection: after a reply that only a new one cures, and
 * at most once a second. The command is not sent again, though it did not run: that is for the caller to say.
 *
 * @param now a monotonic clock in milliseconds
 */
export function staleConnection(now: () => number): (error: unknown) => boolean {
  let renewedAtMs = -Infinity;
  return (error) => {
    const { message } = Object(error) as { message?: unknown };
    if (!STALE.test(String(message)) || now() - renewedAtMs < RENEW_AT_MOST_EVERY_MS) return false;
    renewedAtMs = now();
    return true;
  };
}
