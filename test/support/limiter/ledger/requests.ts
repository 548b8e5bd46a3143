import type { Decision, Limiter } from "../../../../src/index.ts";
import { drawCharge, drawCost, unitsOf } from "./costs.ts";
import { type Client, PLANS } from "./draw.ts";
import type { Isolate } from "./isolate.ts";
import { type Page, textOf } from "./page.ts";
import { limitOfShard, numbersUnder, SECOND_US, TTL_US, WINDOW_US } from "./policies.ts";
import { checkCharge, checkSpread, type Room, roomOf } from "./promises/charges.ts";
import { checkLook } from "./promises/looks.ts";
import { checkRequest } from "./promises/requests.ts";
import { during, isOfStore, note, partitionIn, type World } from "./world.ts";

/* Requests of clients: each has a page of the ledger. */

type Kind = Page["kind"];
interface Request {
  readonly isolate: Isolate;
  readonly client: Client;
  readonly page: Page;
  readonly plan: string | undefined;
  readonly cost: Parameters<typeof unitsOf>[1];
}

function drawRequest({ dice, setting, isolates }: World, id: number, kind: Kind): Request {
  const isolate = dice.among(isolates);
  const client = dice.among(setting.clients);
  const plan = dice.among(PLANS);
  const { policies } = isolate;
  const cost = (kind === "charge" ? drawCharge : drawCost)(dice, policies, plan);
  const costs = unitsOf(policies, cost);
  const page: Page = { id, kind, isolate: isolate.index, plan, costs, calls: [] };
  return { isolate, client, page, plan, cost };
}

/** A request of this kind; `kind` is what its page is called. */
export async function request(world: World, kind: "limit" | "reserve" | "peek"): Promise<void> {
  const hasSlots = world.setting.policies.some(({ algorithm }) => algorithm === "concurrency");
  const drawn = drawRequest(world, ++world.pages, kind === "limit" && hasSlots ? "reserve" : kind);
  if (drawn.page.kind === "peek") return peek(world, drawn);
  await (drawn.page.kind === "reserve" ? reserve(world, drawn) : limit(world, drawn));
}

async function limit(world: World, { isolate, client, page, plan, cost }: Request): Promise<void> {
  const decision = await during(page, "ask", () => isolate.limiter.limit(client, { plan, cost }));
  enter(world, isolate, client, page, decision);
}

async function reserve(
  world: World,
  { isolate, client, page, plan, cost }: Request,
): Promise<void> {
  const { dice, holds, local } = world;
  const ttl = dice.among([undefined, "4s", "9s"] as const);
  const hold = await during(page, "ask", () =>
    isolate.limiter.reserve(client, { plan, cost, ttl }),
  );
  enter(world, isolate, client, page, hold);
  const held = { page, hold, isolate, isLeft: false, localSlots: new Map<string, number>(), client };
  holds.push(held);
  if (!hold.allowed) return;
  const wantedUs = ttl === undefined ? TTL_US : Number.parseInt(ttl) * SECOND_US;
  local.keepSlots(held, world.nowUs, wantedUs);
  for (const { name, algorithm, refundable, mode, counts } of isolate.policies) {
    if (algorithm === "concurrency" || !refundable || counts === "failures") continue;
    const reserved = Object.hasOwn(hold.reserved, name) ? hold.reserved[name] : undefined;
    if (mode === "enforce" && reserved !== page.costs[name]) {
      world.say(`page ${page.id}: ${name} tells ${reserved} reserved, not ${page.costs[name]}`);
    }
  }
}

/** Checks a request that may have taken units. */
function enter(
  world: World,
  isolate: Isolate,
  client: Client,
  page: Page,
  decision: Decision,
): void {
  const { known, local, bans, nowUs } = world;
  const say = (broken: string) =>
    world.say(`page ${page.id} (${page.kind} ${page.plan}, ${decision.reason}): ${broken}`);
  tell(world, page, decision);
  checkRequest(page, decision, isolate.policies, say);
  const partitionOf = partitionIn(client);
  bans.enter(page, decision, isolate.policies, partitionOf, world.isOver);
  known.enter(page, nowUs / 1000, isOfStore(decision));
  if (decision.reason === "cached-denial") {
    const partitions = isolate.policies.map(partitionOf);
    known.check(page, partitions, nowUs / 1000, hasRoom(world, isolate, client, page), say);
  }
  if (decision.allowed) local.admit(page, isolate.policies, partitionOf, nowUs, say);
}

/** Whether every policy has room by the ledger; `false` where it cannot say. */
function hasRoom({ book, masters }: World, isolate: Isolate, client: Client, page: Page): boolean {
  const partitionOf = partitionIn(client);
  return isolate.policies.every((policy) => {
    const { name, mode, shards, algorithm, counts } = policy;
    if (mode !== "enforce") return true;
    if (shards > 1 || algorithm === "concurrency") return false;
    const start = `${masters.prefix}:{${partitionOf(policy)}}:`;
    const key = [...book.keys].find(([each, own]) => own.name === name && each.startsWith(start));
    if (!key) return true;
    const account = book.account(key[0]);
    const nowUs = masters.nowUs(masters.of(key[0]));
    const units = counts === "denials" ? 1 : page.costs[name]!;
    return account.exact && account.fits(units, numbersUnder(policy, page.plan).limit, nowUs);
  });
}

async function peek(world: World, { isolate, client, page, plan, cost }: Request): Promise<void> {
  const { masters, book, say, known, nowUs } = world;
  const look = () =>
    during(page, "ask", async () => {
      const decision = await isolate.limiter.peek(client, { plan, cost });
      tell(world, page, decision);
      known.enter(page, nowUs / 1000, isOfStore(decision));
    });
  await checkLook(masters, () => book.keys.keys(), look, say);
}

/** A charge: what it cost a client is known only now. */
export async function charge(world: World): Promise<void> {
  const { isolate, client, page, plan, cost } = drawRequest(world, ++world.pages, "charge");
  const rooms = roomsOf(world, isolate, client, plan);
  const run: Limiter["charge"] = (...call) => isolate.limiter.charge(...call);
  const decision = await during(page, "ask", () => run(client, cost!, { plan }));
  const say = (broken: string) => world.say(`page ${page.id} (charge ${page.plan}): ${broken}`);
  tell(world, page, decision);
  checkCharge(page, isolate.policies, world.setting.isGuarded, say);
  for (const room of rooms) checkSpread(page.calls, room, page.costs[room.policy.name]!, say);
  world.known.enter(page, world.nowUs / 1000, isOfStore(decision));
}

/** What each policy with shards has room for in its fullest shard. */
export function roomsOf(
  { book, masters, isBusy }: World,
  { policies }: Isolate,
  client: Client,
  plan: string | undefined,
): readonly Room[] {
  const partitionOf = partitionIn(client);
  return policies.flatMap((policy) => {
    const { shards, name } = policy;
    // Others may take the room meanwhile.
    if (shards === 1 || isBusy) return [];
    const shardRooms = Array.from({ length: shards }, (_, shard) => {
      const start = `${masters.prefix}:{${partitionOf(policy)}#${shard}}:`;
      const key = [...book.keys].find(([each, own]) => own.name === name && each.startsWith(start));
      const limit = limitOfShard(numbersUnder(policy, plan).limit, shards, shard);
      const used = key ? book.account(key[0]).used(masters.nowUs(masters.of(key[0]))) : 0;
      return { limit, used, exact: !key || book.account(key[0]).exact };
    });
    return shardRooms.every(({ exact }) => exact) ? [roomOf(policy, shardRooms)] : [];
  });
}

function tell(world: World, page: Page, decision: Decision): void {
  note(world, `${page.kind} ${decision.reason}`);
  world.told.push(() => {
    const { id, kind, isolate, plan, costs, calls } = page;
    const rows = [...decision.policies, ...decision.shadow].map(
      ({ name, allowed, remaining }) => `${name} ${allowed ? "+" : "-"}${remaining}`,
    );
    const asked = `page ${id}: ${kind} by isolate ${isolate}, plan ${plan}: ${JSON.stringify(costs)}`;
    const answer = `${decision.reason} ${decision.allowed} ${rows.join(" ")}`;
    return [`${asked}: ${answer}`, ...calls.filter(({ phase }) => phase === "ask").map(textOf)].join("\n    ");
  });
}

/** Lets every isolate send the denials of every client that no call has counted yet. */
export async function deliverDenials(world: World): Promise<void> {
  const hasSlots = world.setting.policies.some(({ algorithm }) => algorithm === "concurrency");
  world.isOver = true;
  for (const isolate of world.isolates) {
    for (const client of world.setting.clients) {
      // Longer than the isolate trusts what the last answer has told it of everybody.
      world.nowUs += WINDOW_US + SECOND_US;
      const kind = hasSlots ? "reserve" : "limit";
      const costs = unitsOf(isolate.policies, undefined);
      const id = ++world.pages;
      const page: Page = { id, kind, isolate: isolate.index, plan: undefined, costs, calls: [] };
      const drawn = { isolate, client, page, plan: undefined, cost: undefined };
      await (hasSlots ? reserve(world, drawn) : limit(world, drawn));
    }
  }
}
