import { expect, test } from "vitest";

import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { WINDOWS } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/* Refunds while the clock goes back, or the policy changes under its name. */

const START = 1_800_000_000_123_457;

interface Take {
  readonly policy: CompiledPolicy;
  /** What Redis's clock showed. */
  readonly atUs: number;
  /** When it really was. */
  readonly time: number;
  /** How often the policy had changed. */
  readonly changes: number;
  kept: number;
}

const keptOf = (takes: readonly Take[]): Admission[] =>
  takes.flatMap(({ time, kept }) => (kept > 0 ? [{ time, units: kept }] : []));

test.for(WINDOWS)(
  "$algorithm: a clock that goes back between requests lets no more kept units through than $times times the limit",
  ({ times, of }) => {
    let given = 0;
    for (let seed = 0; seed < runs(1_500); seed++) {
      const next = random(seed);
      const limit = 1 + Math.floor(next() * 12);
      const windowMs = 100 + Math.floor(next() * 4_900);
      const policy = compilePolicy(of(limit, `${windowMs}ms`, 1 + Math.floor(next() * 7)));
      const counted = counterAt(START);
      let takes: Take[] = [];
      const all: Take[] = [];
      let time = START;
      for (let step = 0; step < 80; step++) {
        const gap = next() < 0.3 ? 1 : 1 + Math.floor(next() * 700_000);
        const back = next() < 0.1 ? Math.floor(next() * 20_000_000) : 0;
        time += gap;
        counted.now += gap - back;
        // Units taken before the clock went back are not given back any more.
        if (back > 0) takes = [];
        const take = takes[Math.floor(next() * takes.length)];
        if (take && take.kept > 0 && next() < 0.5) {
          const back = counted.giveBack(policy, take.atUs, take.kept);
          take.kept -= back;
          given += back;
          continue;
        }
        const kept = 1 + Math.floor(next() * limit);
        if (!counted.ask(policy, "consume", kept).allowed) continue;
        const taken = { policy, atUs: counted.now, time, kept, changes: 0 };
        takes.push(taken);
        all.push(taken);
      }
      expect(fullestWindow(keptOf(all), windowMs * 1000)).toBeLessThanOrEqual(times * limit);
    }
    expect(given).toBeGreaterThan(least(1_000));
  },
);
