import type { Delivery, PoolAnswer, PoolRequest } from "../../src/store/region/pools.ts";

/*
 * The pools of a region in TypeScript, by what the heads of lua/region say: the Lua is compared with this. Whole numbers are kept as
 * the bytes of a pool have room for them.
 */

interface Units {
  readonly ends: number;
  units: number;
}

/** A pool between two calls. */
interface Kept {
  claim: number;
  claimEnds: number;
  trip: number;
  since: number;
  requested: number;
  before: number;
  /** -1 before the first answer of home. */
  left: number;
  retryUntil: number;
  pollAt: number;
  open: number;
  shortAt: number;
  lost: number;
  fullAt: number;
  grants: Units[];
  returns: { readonly ends: number; readonly id: number }[];
  seen: number;
  expiresMs: number;
}

const EVEN = 512;
const FEW_GRANTS = 6;
const FEW_RETURNS = 32;

const sumOf = (grants: readonly Units[]) => grants.reduce((sum, { units }) => sum + units, 0);

/** A pool as a call finds it, and how many of its units have expired. */
function read(kept: Kept | undefined, now: number): { pool: Kept; expired: number } {
  const known = kept && kept.expiresMs > Math.floor(now / 1000) ? kept : undefined;
  const none = { claim: 0, claimEnds: 0, since: now, requested: 0, before: 0 };
  const unsure = { retryUntil: 0, pollAt: 0, shortAt: 0, fullAt: 0, grants: [], returns: [] };
  const empty = { ...none, ...unsure, trip: 0, left: -1, open: 0, lost: EVEN, seen: now };
  const pool = { ...empty, expiresMs: 0, ...structuredClone(known) };
  // The clock went back: of no unit is it known how long ago it was taken.
  if (now < pool.seen) return { pool: { ...pool, ...none, ...unsure }, expired: 0 };
  const expired = sumOf(pool.grants.filter(({ ends }) => ends <= now));
  pool.grants = pool.grants.filter(({ ends }) => ends > now);
  pool.returns = pool.returns.filter(({ ends }) => ends > now);
  pool.lost = Math.min(2 ** 40, pool.lost + 64 * expired);
  return { pool, expired };
}

function write(pool: Kept, now: number, termUs: number, keepUs: number): Kept {
  const trip = Math.floor(pool.trip);
  const ends = Math.max(
    now + 2 * termUs,
    pool.retryUntil,
    pool.pollAt > 0 ? pool.pollAt + 2 * trip + termUs : 0,
    pool.open > 0 ? now + keepUs : 0,
  );
  return {
    ...pool,
    trip,
    requested: Math.floor(64 * pool.requested) / 64,
    before: Math.floor(64 * pool.before) / 64,
    grants: pool.grants.filter(({ units }) => units > 0),
    seen: now,
    expiresMs: Math.floor(now / 1000) + Math.ceil((ends - now) / 1000),
  };
}

type State = "spent" | "credit" | "denied" | "missing" | "skipped";
const CODES: Readonly<Record<State, number>> = {
  spent: 0,
  credit: 1,
  denied: 2,
  missing: 3,
  skipped: 4,
};

/** How one pool would decide a request, when its demand has been counted. */
function lookAt(pool: Kept, request: PoolRequest, rate: number, now: number): State {
  const { termUs, cost, credit } = request;
  if (sumOf(pool.grants) >= cost) return "spent";
  if (credit > 0 && pool.left !== 0 && pool.open + cost <= credit) return "credit";
  const isUnderWay = now < pool.claimEnds;
  if (pool.pollAt > 0 && now < pool.pollAt + 2 * pool.trip + termUs) {
    const isBusy = (rate * (pool.trip + termUs / 4)) / termUs >= 3;
    const isEarly = now < Math.max(pool.retryUntil, pool.pollAt);
    return isBusy || isUnderWay || isEarly ? "denied" : "missing";
  }
  return isUnderWay && now < pool.shortAt + termUs ? "denied" : "missing";
}

function countDemand(pool: Kept, { termUs, cost, deniedHere }: PoolRequest, now: number): number {
  const terms = Math.floor((now - pool.since) / termUs);
  if (terms > 0) {
    pool.before = terms === 1 ? pool.requested : 0;
    pool.requested = 0;
    pool.since += terms * termUs;
  }
  pool.requested += cost + deniedHere;
  return pool.before * (1 - (now - pool.since) / termUs) + pool.requested;
}

/** Spends a cost, oldest units first; returns when the first of them would have ended. */
function spendFrom(pool: Kept, cost: number): number {
  let rest = cost;
  const spent: number[] = [];
  for (const grant of pool.grants) {
    const units = Math.min(rest, grant.units);
    if (units > 0) spent.push(grant.ends);
    grant.units -= units;
    rest -= units;
  }
  pool.lost = Math.max(0, pool.lost - cost);
  return spent.length > 0 ? Math.min(...spent) : 0;
}

/** The next lease of a pool, if it claims one. */
function planFor(pool: Kept, request: PoolRequest, state: State, rate: number, now: number) {
  const { termUs, plenty, ceiling } = request;
  const { trip } = pool;
  if (now < pool.claimEnds || now <= pool.claim) return undefined;
  const lasting = pool.grants.filter(({ ends }) => ends > now + 1.1 * trip + termUs / 50);
  const fresh = sumOf(lasting);
  const isShort = pool.left === 0;
  const isScarce = isShort || now < pool.shortAt + termUs;
  const isRich = !isScarce && pool.left >= plenty;
  const isWasteful = pool.lost > EVEN && !isRich;
  const meanwhile = (rate * trip) / termUs;
  const reserve = meanwhile + (isScarce || isWasteful ? 1 : 2) * Math.sqrt(meanwhile);
  const isLacking = state === "missing" || state === "credit";
  const isDue = now >= pool.pollAt && (state === "denied" || fresh < reserve);
  let [most, need] = [0, 0];
  if (rate >= 2 && (isLacking || isDue)) {
    const cycle = Math.max(1, Math.floor(rate * Math.min(1, (trip + termUs / 4) / termUs)));
    const level = isScarce
      ? cycle
      : isWasteful
        ? Math.max(reserve, rate / 2)
        : isRich
          ? rate + 2 * Math.sqrt(rate)
          : Math.max(reserve, 0.6 * rate);
    most = Math.min(ceiling, Math.max(1, Math.floor(level - fresh)));
    need = Math.min(most, Math.max(1, Math.floor(cycle - fresh)));
  }
  if (most === 0 && !(isLacking && (pool.open > 0 || isShort))) return undefined;
  pool.claim = now;
  pool.claimEnds = now + Math.floor(Math.min(termUs, Math.max(3 * trip, termUs / 4)));
  return { most, need, owed: pool.open };
}

/** Pools by their keys. */
export class PoolModel {
  readonly kept = new Map<string, Kept>();

  spend(keys: readonly string[], requests: readonly PoolRequest[], now: number) {
    const found = keys.map((key) => read(this.kept.get(key), now));
    const rates = found.map(({ pool }, i) => countDemand(pool, requests[i]!, now));
    const looks = found.map(({ pool }, i) => lookAt(pool, requests[i]!, rates[i]!, now));
    const isDenied = looks.includes("denied");
    const isMissing = looks.includes("missing");
    const pools = found.map(({ pool }, i): PoolAnswer => {
      const { cost, termUs, keepUs } = requests[i]!;
      let state = looks[i]!;
      let spentUntilUs = 0;
      if (isDenied) state = state === "denied" ? state : "skipped";
      // Home decides the request, and counts this cost with it.
      else if (state === "credit" && isMissing) state = "missing";
      else if (state === "credit") pool.open += cost;
      else if (state === "spent") spentUntilUs = spendFrom(pool, cost);
      const order = planFor(pool, requests[i]!, state, rates[i]!, now);
      const waitUs = Math.max(1, Math.max(pool.retryUntil, pool.pollAt, pool.claimEnds) - now);
      this.kept.set(keys[i]!, write(pool, now, termUs, keepUs));
      return {
        state: CODES[state],
        left: pool.left < 0 ? -1 : pool.left + sumOf(pool.grants),
        waitUs: state === "denied" ? waitUs : 0,
        resetUs: Math.max(0, pool.fullAt - now),
        isClaimed: order !== undefined,
        order: order ?? { most: 0, need: 0, owed: 0 },
        spentUntilUs,
      };
    });
    const unspent = found.reduce((sum, { expired }) => sum + expired, 0);
    return { nowUs: now, verdict: isDenied ? 0 : isMissing ? 2 : 1, unspent, pools };
  }

  put(
    keys: readonly string[],
    at: number,
    deliveries: readonly Delivery[],
    now: number,
    id: number,
  ) {
    let [unspent, lostClaims] = [0, 0];
    keys.forEach((key, i) => {
      const { pool, expired } = read(this.kept.get(key), now);
      const delivery = deliveries[i]!;
      unspent += expired;
      const isOwn = delivery.isClaimed && pool.claim === at;
      if (isOwn) settle(pool, delivery, Math.min(now - at, delivery.termUs));
      else if (delivery.isClaimed) lostClaims++;
      if (isOwn && delivery.units > 0 && at + delivery.lifeUs > now) {
        join(pool.grants, "push", { ends: at + delivery.lifeUs, units: delivery.units });
      } else unspent += delivery.units;
      takeBack(pool, delivery, at, now, id);
      learn(pool, delivery, at, now);
      this.kept.set(key, write(pool, now, delivery.termUs, delivery.keepUs));
    });
    return { unspent, lostClaims };
  }
}

function settle(pool: Kept, { paid }: Delivery, tookUs: number): void {
  pool.claim = pool.claimEnds = 0;
  pool.trip = Math.max(tookUs, pool.trip + (tookUs - pool.trip) / 8);
  pool.open = Math.max(0, pool.open - paid);
}

/** Adds units at one end of the list; where it is full, to the grant there, and all keep the earlier end. */
function join(grants: Units[], how: "push" | "unshift", { ends, units }: Units): void {
  if (grants.length < FEW_GRANTS) {
    grants[how]({ ends, units });
    return;
  }
  const place = how === "push" ? grants.length - 1 : 0;
  const other = grants[place]!;
  grants[place] = { ends: Math.min(other.ends, ends), units: other.units + units };
}

function takeBack(pool: Kept, delivery: Delivery, at: number, now: number, id: number): void {
  const { back, backUntilUs } = delivery;
  const isKnown = pool.returns.some((each) => each.id === id);
  if (back === 0 || backUntilUs <= now || now < at || isKnown) return;
  if (pool.returns.length >= FEW_RETURNS) return;
  pool.returns.push({ ends: backUntilUs, id });
  join(pool.grants, "unshift", { ends: backUntilUs, units: back });
}

/** Room is known only by a call that was sent after the last answer without room had arrived. */
function learn(pool: Kept, delivery: Delivery, at: number, now: number): void {
  const { left, againUs, resetUs, termUs } = delivery;
  if (left < 0 || now < at || (left > 0 && at < pool.shortAt)) return;
  pool.left = left;
  pool.fullAt = at + resetUs;
  pool.retryUntil = pool.pollAt = 0;
  if (left > 0) return;
  const free = at + Math.floor(againUs * 0.9995);
  pool.shortAt = now;
  pool.retryUntil = free;
  pool.pollAt = Math.max(now + Math.floor(termUs / 4), free - Math.floor(pool.trip));
}
