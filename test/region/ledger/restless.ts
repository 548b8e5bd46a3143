import type { Policy } from "../../../src/policy/policy.ts";

/** Requests that come and go about as fast as terms do: units are hoarded, held to their last moment, and spent at once. */
export function* restless(
  next: () => number,
  spanUs: number,
  { limit, ...policy }: Policy,
  termUs: number,
): Generator<number> {
  const windowUs = "refill" in policy ? (1e6 * limit) / policy.refill : 1.5e6;
  const even = (limit * termUs) / windowUs;
  let from = 0;
  while (from < spanUs) {
    const kind = next();
    // In terms, and in requests per term.
    const [length, rate] =
      kind < 0.35
        ? [1 + 2 * next(), even * (0.5 + next())]
        : kind < 0.55
          ? [0.2 + next(), 0]
          : kind < 0.8
            ? [0.1 + 0.4 * next(), even * (5 + 20 * next())]
            : [2 * next(), even * 4 * next()];
    const to = Math.min(spanUs, from + length * termUs);
    if (rate > 0) {
      const gap = () => (-Math.log(1 - next()) * termUs) / rate;
      for (let at = from + gap(); at < to; at += gap()) yield Math.floor(at);
    }
    from = to;
  }
}
