import type { Decision } from "../../support/limiter/plain.ts";
import { type Book, createBook } from "./book.ts";
import { type Client, type Dice, drawSetting, type Setting } from "./draw.ts";
import type { HoldPage } from "./hold-page.ts";
import { type Isolate, openIsolate } from "./isolate.ts";
import type { Masters, OpenMasters } from "./masters.ts";
import type { Page, Phase } from "./page.ts";
import type { LedgerPolicy } from "./policies.ts";
import { bans } from "./promises/bans.ts";
import { knownDenials } from "./promises/known-denials.ts";
import { localCounts } from "./promises/local-counts.ts";
import type { Say } from "./promises/say.ts";
import { createWeather, type Weather } from "./weather.ts";
import { createWire, doing, type Wire } from "./wire.ts";

/** Everything in a story. */
export interface World {
  readonly dice: Dice;
  readonly setting: Setting;
  readonly masters: Masters;
  readonly book: Book;
  readonly wire: Wire;
  readonly weather: Weather;
  readonly isolates: readonly Isolate[];
  readonly holds: HoldPage[];
  readonly known: ReturnType<typeof knownDenials>;
  readonly local: ReturnType<typeof localCounts>;
  readonly bans: ReturnType<typeof bans>;
  /** The clock of isolates, in microseconds since 1970. */
  nowUs: number;
  pages: number;
  /** Whether several requests are under way at once. */
  isBusy: boolean;
  /** Whether the story ends. */
  isOver: boolean;
  /** The events so far, for the report of a broken promise. */
  readonly told: (() => string)[];
  readonly say: Say;
  /** Counts events. */
  readonly tally: Tally;
}

/** How often something happened in stories, so that a test can see that everything did. */
export type Tally = Record<string, number>;

export function note({ tally }: Pick<World, "tally">, event: string): void {
  tally[event] = (tally[event] ?? 0) + 1;
}

const START_US = Date.UTC(2030, 0, 1) * 1000 + 7_654_321;

export function createWorld(dice: Dice, open: OpenMasters, tally: Tally): World {
  const setting = drawSetting(dice);
  const clock = { nowUs: START_US };
  const masters = open(() => clock.nowUs);
  const book = createBook(setting.policies, (key) => masters.nowUs(masters.of(key)));
  const weather = createWeather(dice, masters.count, setting.isCalm);
  const wire = createWire(
    masters,
    book,
    (master) => {
      const fate = weather.fateOf(master);
      note({ tally }, `call ${fate}`);
      return fate;
    },
    () => clock.nowUs,
  );
  const isolates = setting.isolates.map((_, i) =>
    openIsolate(i, setting, wire.store, masters.prefix),
  );
  return {
    dice,
    setting,
    masters,
    book,
    wire,
    weather,
    isolates,
    holds: [],
    known: knownDenials(isolates.map(({ policies }) => policies)),
    local: localCounts(),
    bans: bans(),
    get nowUs() {
      return clock.nowUs;
    },
    set nowUs(time) {
      clock.nowUs = time;
    },
    pages: 0,
    isBusy: false,
    isOver: false,
    told: [],
    tally,
    say: (broken) => void book.broken.push(broken),
  };
}

/** The partition of a client, or of all clients. */
export function partitionIn(client: Client): (policy: LedgerPolicy) => string {
  return ({ by }) => (by === "*" ? by : client[by as keyof Client]);
}

/** Runs an act for a page: its calls are entered there. */
export function during<Result>(
  page: Page,
  phase: Phase,
  act: () => Promise<Result>,
): Promise<Result> {
  return doing.run({ page, phase }, act);
}

/** Whether the store has answered the whole request. */
export function isOfStore({ reason }: Decision): boolean {
  return reason === "allowed" || reason === "limited";
}
