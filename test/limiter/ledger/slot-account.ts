/** The name of a slot. The second try of a request, in other shards, asks for another slot than the first. */
type SlotId = string | undefined;

/** The slots of one key, and how long each is kept. */
export interface SlotAccount {
  used(nowUs: number): number;
  fits(slot: SlotId, limit: number, nowUs: number): boolean;
  take(slot: SlotId, untilUs: number): void;
  has(slot: SlotId, nowUs: number): boolean;
  /** Whether there was a slot to free. */
  free(slot: SlotId, nowUs: number): boolean;
}

export function slotAccount(): SlotAccount {
  const untils = new Map<SlotId, number>();
  const used = (nowUs: number) => [...untils.values()].filter((until) => until > nowUs).length;
  const has = (slot: SlotId, nowUs: number) => (untils.get(slot) ?? 0) > nowUs;
  return {
    used,
    has,
    fits: (slot, limit, nowUs) => has(slot, nowUs) || used(nowUs) < limit,
    take: (slot, untilUs) => void untils.set(slot, untilUs),
    free(slot, nowUs) {
      const had = has(slot, nowUs);
      untils.delete(slot);
      return had;
    },
  };
}
