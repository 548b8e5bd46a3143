import type { Settlement } from "../../../src/decide/hold.ts";
import { settlementOf } from "../../../src/features/holds/settle-response.ts";
import { drawActual, unitsOf, type Units } from "./costs.ts";
import type { HoldPage } from "./hold-page.ts";
import { textOf } from "./page.ts";
import { SECOND_US, TTL_US } from "./policies.ts";
import { checkSpread } from "./promises/charges.ts";
import { checkExtension } from "./promises/extensions.ts";
import { checkSettlement } from "./promises/settlements.ts";
import { roomsOf } from "./rooms.ts";
import { during, note, partitionIn, type World } from "./world.ts";

/* The ends of holds: they are settled, released, extended and answered, again and again. */

/** Settles or releases, perhaps for the second time. */
export async function settle(world: World, held: HoldPage): Promise<void> {
  const { dice } = world;
  const { page, hold, isolate } = held;
  const isRelease = dice.chance(0.4);
  const cost = isRelease
    ? 0
    : dice.chance(0.1)
      ? undefined
      : drawActual(dice, isolate.policies, page.costs);
  const actual = unitsOf(isolate.policies, cost, page.costs);
  await end(world, held, actual, () => (isRelease ? hold.release() : hold.settle(cost)));
}

/** @param act ends the hold; it resolves with `undefined` if it cannot tell how that went */
async function end(
  world: World,
  held: HoldPage,
  actual: Units,
  act: () => Promise<Settlement | undefined>,
): Promise<void> {
  const { page, hold, isolate, client } = held;
  const { setting, local, known, nowUs, told } = world;
  const isFirst = held.actual === undefined && hold.allowed;
  const say = (broken: string) =>
    world.say(`page ${page.id}, settled at ${JSON.stringify(held.actual)}: ${broken}`);
  const rooms = isFirst ? roomsOf(world, isolate, client, page.plan) : [];
  if (isFirst) {
    held.actual = actual;
    // Not after the act: another request, under way at once, may find these units free.
    local.end(held, partitionIn(client), nowUs);
  }
  const from = page.calls.length;
  const settlement = await during(page, "end", act);
  const calls = page.calls.slice(from);
  if (settlement) note(world, `settle ${settlement.status}`);
  told.push(() => {
    const how = `page ${page.id}: settled at ${JSON.stringify(held.actual)}: ${settlement?.status}`;
    return [how, ...calls.map(textOf)].join("\n    ");
  });
  // Of several settlements at once, calls of the later ones are there already. The end of the story looks at the last one.
  const last = world.isBusy ? undefined : settlement;
  checkSettlement(held, last, setting.isGuarded, say);
  if (isFirst) {
    for (const room of rooms) {
      const { name } = room.policy;
      const more = held.actual![name]! - page.costs[name]!;
      const charged = calls.filter(({ operation }) => operation === "charge");
      if (more > 0 && room.policy.mode === "enforce" && charged.length > 0) {
        checkSpread(charged, room, more, say);
      }
    }
  }
  held.isLeft = settlement?.status === "not-sent";
  known.enter(page, nowUs / 1000, false);
}

/** The statuses of a response: a login's failures are 401 and 403. */
const STATUSES = [200, 200, 401, 403, 404, 500, 502, 504];

/** A response ends the hold, and its client may have hung up before. */
export async function respond(world: World, held: HoldPage): Promise<void> {
  const { dice } = world;
  const { hold, isolate, page } = held;
  const status = dice.among(STATUSES);
  const hasHungUp = dice.chance(0.4);
  const method = dice.among(["GET", "POST", "HEAD"]);
  const request = { method, signal: { aborted: hasHungUp } };
  note(world, hasHungUp ? "respond after a hang-up" : "respond");
  // A client that hangs up must not hide a failure.
  const isFailure = status === 401 || status === 403 || (hasHungUp && status >= 500);
  const costs = Object.entries(page.costs).map(([name, units]) => {
    const { counts } = isolate.policies.find((policy) => policy.name === name)!;
    return [name, counts === "failures" && !isFailure ? 0 : units] as const;
  });
  await end(world, held, Object.fromEntries(costs), async () => {
    const waiting: Promise<unknown>[] = [];
    const settlement = settlementOf(hold, isolate.failures, (each) => void waiting.push(each));
    if (dice.chance(0.3)) settlement?.now(status, request);
    else if (settlement) {
      const body = dice.chance(0.3) ? null : "Hello";
      const sent = settlement.after(new Response(body, { status }), request);
      await (dice.chance(0.3) ? sent.body?.cancel() : sent.text());
    }
    await Promise.all(waiting);
    return undefined;
  });
}

/** Keeps the slots of a hold for longer. */
export async function extend(world: World, held: HoldPage): Promise<void> {
  const { dice, nowUs } = world;
  const { page, hold } = held;
  const seconds = dice.among([undefined, 3, 8]);
  const from = page.calls.length;
  const extension = await during(page, "extend", () =>
    hold.extend(seconds === undefined ? undefined : `${seconds}s`),
  );
  note(world, `extend ${extension.status}`);
  const wantedUs = seconds ? seconds * SECOND_US : TTL_US;
  world.told.push(() => `page ${page.id}: extended by ${seconds} s: ${extension.status}`);
  checkExtension(held, extension, page.calls.slice(from), { nowUs, wantedUs }, (broken) =>
    world.say(`page ${page.id} is extended: ${broken}`),
  );
}
