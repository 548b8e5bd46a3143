import { random } from "../../support/random.ts";
import { charge } from "./charging.ts";
import { dice as createDice } from "./draw.ts";
import { extend, respond, settle } from "./ends.ts";
import type { HoldPage } from "./hold-page.ts";
import type { OpenMasters } from "./masters.ts";
import { HOUR_AHEAD_US, HOUR_US, SECOND_US, WINDOW_US } from "./policies.ts";
import { checkSettlement } from "./promises/settlements.ts";
import { deliverDenials, request } from "./requests.ts";
import { createWorld, during, type Tally, type World } from "./world.ts";

const STEPS = 30;

/**
 * Tells the story of a seed.
 *
 * @throws Error with the broken promises, and the story until then
 */
export async function tell(seed: number, open: OpenMasters, tally: Tally): Promise<void> {
  const roll = random(seed);
  // The limiter draws shards.
  const { random: usual } = Math;
  Math.random = roll;
  try {
    const world = createWorld(createDice(roll), open, tally);
    for (let step = 0; step < STEPS; step++) {
      await act(world);
      report(seed, world);
    }
    await close(world);
    report(seed, world);
    await world.masters.clear(world.book.accounts.keys.keys());
  } finally {
    Math.random = usual;
    // Promises alone would never let a test's time-out pass.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function report(seed: number, { book, told, setting }: World): void {
  if (book.broken.length === 0) return;
  throw new Error(
    [
      `seed ${seed}: ${book.broken.join("\n  ")}`,
      `TEST_SEED=${Number(process.env["TEST_SEED"] ?? 0) + seed - 1} makes it the first story.`,
      JSON.stringify(setting, undefined, 1),
      ...told.slice(-40).map((each) => each()),
    ].join("\n"),
  );
}

/** The steps of a story, as often as they come. */
const STEPS_OF = {
  limit: 6,
  reserve: 9,
  peek: 3,
  charge: 2,
  settle: 9,
  respond: 2,
  extend: 4,
  together: 3,
} as const;
type Step = keyof typeof STEPS_OF;
const ALL = Object.entries(STEPS_OF).flatMap(([step, weight]) =>
  Array<Step>(weight).fill(step as Step),
);

async function act(world: World): Promise<void> {
  const { dice, wire, weather } = world;
  await wire.calm();
  weather.turn();
  pass(world);
  if (dice.chance(0.3)) await wire.arrive();
  const step = dice.among(ALL);
  if (step !== "together") return run(world, step);
  const steps = Array.from({ length: dice.int(2, 3) }, () =>
    dice.among<Step>(["limit", "reserve", "reserve", "charge", "settle"]),
  );
  world.isBusy = true;
  await Promise.all(steps.map((each) => run(world, each)));
  world.isBusy = false;
}

function run(world: World, step: Step): Promise<void> {
  if (step === "limit" || step === "reserve" || step === "peek") return request(world, step);
  if (step === "charge") return charge(world);
  const held = drawHold(world);
  if (!held) return request(world, "reserve");
  const ends = { settle, respond, extend };
  return ends[step as keyof typeof ends](world, held);
}

/** A hold that goes on, or now and then one that is over. */
function drawHold({ dice, holds }: World): HoldPage | undefined {
  const going = holds.filter(({ actual, isLeft, hold }) => hold.allowed && (!actual || isLeft));
  const some = going.length > 0 && dice.chance(0.85) ? going : holds;
  return some.length > 0 ? dice.among(some.slice(-6)) : undefined;
}

/** Time passes: not at all, a little, to the edge of a window, or beyond it. */
function pass(world: World): void {
  const { dice } = world;
  const how = dice.roll();
  world.nowUs++;
  if (how < 0.5) return;
  if (how < 0.75) world.nowUs += dice.int(1, 3 * SECOND_US);
  else if (how < 0.93) world.nowUs += dice.int(3 * SECOND_US, 15 * SECOND_US);
  else if (how < 0.94) world.nowUs += untilHour(world.nowUs) + dice.int(-2, 2);
  else if (how < 0.97) world.nowUs += WINDOW_US - (world.nowUs % WINDOW_US) + dice.int(-2, 2);
  else world.nowUs += dice.int(WINDOW_US, 2 * WINDOW_US);
}

/** Until the next hour of the calendar. */
const untilHour = (nowUs: number) => HOUR_US - ((nowUs + HOUR_AHEAD_US) % HOUR_US);

/** Every master is well again: late calls arrive, and the remaining holds are settled. No settlement changes any more. */
async function close(world: World): Promise<void> {
  const { weather, wire, holds, setting, masters, bans, known, say } = world;
  weather.clear();
  await wire.arrive();
  await wire.calm();
  // Longer than an isolate trusts a denial or a suspended master.
  world.nowUs += WINDOW_US + SECOND_US;
  for (const held of holds.filter(({ actual }) => actual !== undefined)) {
    const { page, hold } = held;
    const again = () => during(page, "end", () => hold.settle());
    // A breaker lets one call pass, and the others once that is answered.
    let settlement = await again();
    if (settlement.status === "not-sent" && setting.isGuarded) settlement = await again();
    known.enter(page, world.nowUs / 1000, false);
    if (settlement.status === "not-sent") say(`page ${page.id} stays not-sent`);
    checkSettlement(held, settlement, setting.isGuarded, (broken) =>
      say(`page ${page.id}, at the end: ${broken}`),
    );
  }
  await deliverDenials(world);
  bans.check(setting.isCalm && !setting.isGuarded && masters.count === 1, say);
}
