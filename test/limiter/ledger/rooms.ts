import type { Client } from "./draw.ts";
import type { Isolate } from "./isolate.ts";
import { type LedgerPolicy, limitOfShard, numbersUnder } from "./policies.ts";
import { type Room, roomOf } from "./promises/charges.ts";
import { partitionIn, type World } from "./world.ts";

/** The key by which a policy counts a client, if a master was asked about it. */
export function keyOf(
  { book, masters }: World,
  policy: LedgerPolicy,
  client: Client,
  shard = "",
): string | undefined {
  const start = `${masters.prefix}:{${partitionIn(client)(policy)}${shard}}:`;
  const { keys } = book.accounts;
  return [...keys.keys()].find(
    (key) => keys.get(key)!.name === policy.name && key.startsWith(start),
  );
}

/** The room of each policy with shards in its fullest shard. */
export function roomsOf(
  world: World,
  { policies }: Isolate,
  client: Client,
  plan: string | undefined,
): readonly Room[] {
  const { book, masters, isBusy } = world;
  // Others may take the room meanwhile.
  if (isBusy) return [];
  return policies.flatMap((policy) => {
    const { shards } = policy;
    if (shards === 1) return [];
    const rooms = Array.from({ length: shards }, (_, shard) => {
      const key = keyOf(world, policy, client, `#${shard}`);
      const limit = limitOfShard(numbersUnder(policy, plan).limit, shards, shard);
      const account = key === undefined ? undefined : book.accounts.units(key);
      const used = account ? account.used(masters.nowUs(masters.of(key!))) : 0;
      return { limit, used, exact: account?.exact ?? true };
    });
    return rooms.every(({ exact }) => exact) ? [roomOf(policy, rooms)] : [];
  });
}
