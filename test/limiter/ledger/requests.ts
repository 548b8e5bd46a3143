import type { Decision } from "../../support/limiter/plain.ts";
import { drawRequest, type Request, tell } from "./asked.ts";
import { unitsOf } from "./costs.ts";
import type { Client } from "./draw.ts";
import type { Isolate } from "./isolate.ts";
import type { Page } from "./page.ts";
import { numbersUnder, SECOND_US, TTL_US, WINDOW_US } from "./policies.ts";
import { checkLook } from "./promises/looks.ts";
import { checkRequest } from "./promises/requests.ts";
import { keyOf } from "./rooms.ts";
import { during, isOfStore, partitionIn, type World } from "./world.ts";

/* Requests of clients: each has a page of the ledger. */

/** A request of this kind; `kind` is the name on its page. */
export async function request(world: World, kind: "limit" | "reserve" | "peek"): Promise<void> {
  const hasSlots = world.setting.policies.some(({ algorithm }) => algorithm === "concurrency");
  const drawn = drawRequest(world, kind === "limit" && hasSlots ? "reserve" : kind);
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
  const held = {
    page,
    hold,
    isolate,
    isLeft: false,
    localSlots: new Map<string, number>(),
    client,
  };
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
  // Of requests under way at once, it is not known which one the isolate counted first.
  const sayInOrder = world.isBusy ? () => {} : say;
  if (decision.allowed) local.admit(page, isolate.policies, partitionOf, nowUs, sayInOrder);
}

/** Whether every policy has room by the ledger; `false` where it cannot say. */
function hasRoom(world: World, isolate: Isolate, client: Client, page: Page): boolean {
  const { book, masters } = world;
  return isolate.policies.every((policy) => {
    const { name, mode, shards, algorithm, counts } = policy;
    if (mode !== "enforce") return true;
    if (shards > 1 || algorithm === "concurrency") return false;
    const key = keyOf(world, policy, client);
    if (key === undefined) return true;
    const account = book.accounts.units(key);
    const nowUs = masters.nowUs(masters.of(key));
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
  await checkLook(masters, () => book.accounts.keys.keys(), look, say);
}

/** Lets every isolate send the denials of every client that no call has counted yet. */
export async function deliverDenials(world: World): Promise<void> {
  const hasSlots = world.setting.policies.some(({ algorithm }) => algorithm === "concurrency");
  world.isOver = true;
  for (const isolate of world.isolates) {
    for (const client of world.setting.clients) {
      await world.wire.calm();
      // Longer than the isolate trusts the last answer about all clients.
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
