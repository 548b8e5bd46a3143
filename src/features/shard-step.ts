import type { PolicyGroup } from "../decide/groups.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import { deniesIn, groupFits, type LocalDenials } from "../decide/local-denials.ts";
import {
  after,
  type CountRequest,
  type PartitionRequest,
  type Decide,
  type Step,
  type Verdict,
} from "../decide/step.ts";
import { shardsOf as splitPolicy } from "../policy/shards.ts";

/** The shard that decides, for each group of a request; 0 for a group without shards. */
interface Choice {
  readonly shards: readonly number[];
  /** Whether no chosen shard has a known denial. */
  readonly isOpen: boolean;
}

/**
 * Decides each request in one shard of every group that is split: a random one without a known denial. If only shards
 * deny, it tries another one once, because isolates learn of full shards one by one, and others may have room.
 */
export function inShards(
  context: LimiterContext<CoreSettings>,
  known: LocalDenials,
): Step<Decide> | undefined {
  const { settings, now } = context;
  const { policies, random } = settings;
  if (policies.every(({ shards }) => shards === 1)) return undefined;
  const shardsOf = groupsOfShards(context);

  /**
   * The group of a shard, with a partition key that no identity can have: `#` is escaped, and only hashed keys begin
   * with it.
   */
  function inShard(asked: PartitionRequest, shard: number): PartitionRequest {
    const group = shardsOf(asked.group)[shard];
    return group
      ? { ...asked, group, partition: `${asked.partition}#${shard}`, unsharded: asked }
      : asked;
  }

  function inEach(asked: CountRequest, shards: readonly number[]): CountRequest {
    return { ...asked, groups: asked.groups.map((each, i) => inShard(each, shards[i]!)) };
  }

  /** The wait of a shard's known denial of these costs, in microseconds; 0 if it may have room. */
  function knownWaitUs(asked: PartitionRequest, nowMs: number): number {
    const found = known.find(asked, nowMs);
    if (found.state !== "denied") return 0;
    return Math.max(...found.rows.map(({ retryAfterUs }) => retryAfterUs));
  }

  /**
   * Chooses a shard of each group: a random one that may have room, else the first one to have room again.
   *
   * @param tried shards to skip if another may have room
   */
  function choose({ groups }: CountRequest, tried?: readonly number[]): Choice {
    const nowMs = now();
    let isOpen = true;
    const shards = groups.map((asked, i) => {
      const { length } = shardsOf(asked.group);
      if (length === 0) return 0;
      const waitOf = (shard: number) => knownWaitUs(inShard(asked, shard), nowMs);
      // Usually this one may have room, and the search ends here.
      const first = Math.floor(random() * length);
      if (first !== tried?.[i] && waitOf(first) === 0) return first;
      const waits = Array.from({ length }, (_, shard) => waitOf(shard));
      const open = [...waits.keys()].filter((shard) => waits[shard] === 0 && shard !== tried?.[i]);
      if (open.length > 0) return open[Math.floor(random() * open.length)]!;
      isOpen = false;
      return waits.indexOf(Math.min(...waits));
    });
    return { shards, isOpen };
  }

  /**
   * Splits a charge into a part for every shard, because one full shard cannot use the others' room. The first part
   * goes to the shard that would decide a request.
   */
  function spread(asked: CountRequest): CountRequest {
    const first = choose(asked).shards;
    const groups = asked.groups.flatMap((each, i) => {
      const { length } = shardsOf(each.group);
      if (length === 0) return [each];
      const parts = Array.from({ length }, (_, turn) => {
        const costs = each.costs.map((cost) => partOf(cost, turn, length));
        return { ...inShard(each, (first[i]! + turn) % length), costs };
      });
      return parts.filter(({ costs }, turn) => turn === 0 || costs.some((cost) => cost > 0));
    });
    return { ...asked, groups };
  }

  /** Charges all shards. The decision is that of the first shard of each group. */
  function charge(next: Decide, asked: CountRequest): Verdict | Promise<Verdict> {
    return after(next(spread(asked)), (verdict) => {
      const { groups } = verdict;
      const shown = new Set<PartitionRequest>();
      const first = groups.filter(({ asked: { unsharded } }) => {
        if (!unsharded) return true;
        const isFirst = !shown.has(unsharded);
        shown.add(unsharded);
        return isFirst;
      });
      return { ...verdict, groups: first, spread: groups };
    });
  }

  function decide(next: Decide, asked: CountRequest): Verdict | Promise<Verdict> {
    // A cost has to fit every shard. The last shard is the smallest.
    const last = asked.groups.map(({ group }) => shardsOf(group).length - 1);
    const smallest = inEach(asked, last);
    if (!smallest.groups.every(groupFits)) return next(smallest);
    const first = choose(asked);
    const verdict = next(inEach(asked, first.shards));
    if (asked.operation !== "consume" || !first.isOpen) return verdict;
    return after(verdict, (own) => {
      if (!isDeniedByShards(asked, own)) return own;
      const second = inEach(asked, choose(asked, first.shards).shards);
      // On several masters, a late call may still give back the slot of the first try.
      const slot = asked.slot && { ...asked.slot, id: crypto.randomUUID() };
      return after(next({ ...second, slot }), (other) =>
        other.status === 200 || waitUs(other) < waitUs(own) ? { ...other, slot } : own,
      );
    });
  }

  return (next) => (asked) => {
    const { operation, groups } = asked;
    if (groups.every(({ group }) => shardsOf(group).length === 0)) return next(asked);
    if (operation === "charge") return charge(next, asked);
    if (operation !== "reset") return decide(next, asked);
    const all = groups.flatMap((each) => {
      const shards = shardsOf(each.group);
      return shards.length > 0 ? shards.map((_, shard) => inShard(each, shard)) : [each];
    });
    return next({ ...asked, groups: all });
  };
}

/** For each group with shards, a group for each shard; empty for any other group. */
function groupsOfShards(
  context: LimiterContext<CoreSettings>,
): (group: PolicyGroup) => readonly PolicyGroup[] {
  const made = new Map<PolicyGroup, readonly PolicyGroup[]>();
  return context.perGroup((group) => {
    const { policies, variants } = group;
    const { shards: count, unsharded } = policies[0]!;
    if (count === 1 || unsharded) return [];
    const split = policies.map(splitPolicy);
    const shards: PolicyGroup[] = [];
    const [base] = made.get(variants[0]!) ?? [];
    for (let i = 0; i < count; i++) {
      // Shards with equal limits share one group: their partition keys differ.
      const isLike = i > 0 && split.every((each) => each[i] === each[i - 1]);
      const own = split.map((each) => each[i]!);
      shards.push(isLike ? shards[i - 1]! : context.group(own, base ?? shards[0]));
    }
    made.set(group, shards);
    return shards;
  });
}

/** A shard's part of a cost, by its turn: whole units, and the first parts are a unit larger. */
function partOf(cost: number, turn: number, length: number): number {
  return Math.floor(cost / length) + Number(turn < cost % length);
}

/**
 * Whether only shards denied a request, so that another shard may allow it. Policies that count denials have counted
 * this one: a second try could allow a request that they count as denied.
 */
function isDeniedByShards(
  { groups }: CountRequest,
  { status, reason, groups: verdicts }: Verdict,
): boolean {
  if (status === 200 || (reason !== "limited" && reason !== "cached-denial")) return false;
  if (groups.some(({ group }) => group.denying.some(({ role }) => role === "denials")))
    return false;
  return verdicts.every((each) => each.asked.unsharded !== undefined || !deniesIn(each));
}

/** The longest wait of the policies that deny, in microseconds. */
function waitUs({ groups }: Verdict): number {
  let longest = 0;
  for (const { asked, rows } of groups) {
    asked.group.denying.forEach((_, i) => {
      const { allowed, retryAfterUs } = rows[i]!;
      if (!allowed) longest = Math.max(longest, retryAfterUs);
    });
  }
  return longest;
}
