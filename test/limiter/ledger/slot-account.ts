import type { Taker } from "./account.ts";

/** The holder of each slot, and the end of its hold. */
export interface SlotAccount {
  used(nowUs: number): number;
  fits(taker: Taker, limit: number, nowUs: number): boolean;
  take(taker: Taker, untilUs: number): void;
  has(taker: Taker, nowUs: number): boolean;
  /** Whether there was a slot to free. */
  free(taker: Taker, nowUs: number): boolean;
}

export function slotAccount(): SlotAccount {
  const untils = new Map<Taker, number>();
  const used = (nowUs: number) => [...untils.values()].filter((until) => until > nowUs).length;
  const has = (taker: Taker, nowUs: number) => (untils.get(taker) ?? 0) > nowUs;
  return {
    used,
    has,
    fits: (taker, limit, nowUs) => has(taker, nowUs) || used(nowUs) < limit,
    take: (taker, untilUs) => void untils.set(taker, untilUs),
    free(taker, nowUs) {
      const had = has(taker, nowUs);
      untils.delete(taker);
      return had;
    },
  };
}
