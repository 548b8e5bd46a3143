import type { Decision } from "../../src/decide/decision.ts";
import type { Hold, Settlement } from "../../src/decide/hold.ts";
import { MAX_WAIT_MS } from "../../src/decide/known-denials.ts";
import { steadyClock } from "../../src/runtime/time.ts";
import { type Answer, type Ask, type Call, isDecided, type Isolate } from "./call.ts";
import { everyInvariant } from "./invariants/all.ts";
import { keysOf, type Observed } from "./invariants/invariant.ts";
import { createIsolateClock } from "./isolate-clock.ts";
import { assemble } from "./isolate.ts";
import { createNetwork, type Network } from "./network.ts";
import { createRandom } from "./random.ts";
import { createSimulatedRedis, type SimulatedRedis } from "./redis/simulated-redis.ts";
import { describeAsk } from "./scenario/action.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { describeAnswer, describeExecution, type Trace } from "./trace.ts";

/** An invariant that did not hold. */
export class Violation extends Error {
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.rule = rule;
  }
}

/** After the end of a pause of the breaker, in microseconds. */
const AGAIN = 1_500_000;

/** A world in which product code runs: isolates, a network, a Redis, and the invariants that watch them. */
export interface Simulation {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly redis: SimulatedRedis;
  readonly isolates: readonly Isolate[];
  /** Calls a limiter, within an event; the answer comes in virtual time. */
  call(isolate: number, ask: Ask, seed: number): Call;
  /** Sets an isolate's clock, by microseconds. */
  stepClock(isolate: number, by: number): void;
  /** The waits that identities were last told. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The server's answer to `limit()` at this moment. */
  readonly truth: Observed["truth"];
}

export interface SimulationOptions {
  readonly trace: Trace;
  readonly statistics: Observed["statistics"];
  readonly assemble?: typeof assemble;
}

export function createSimulation(
  scenario: Scenario,
  { trace, statistics, assemble: assembleLimiter = assemble }: SimulationOptions,
): Simulation {
  const { settings, timeoutMs, dialect, clientAborts, clocks, calm } = scenario;
  let violation: Violation | undefined;
  let calls = 0;
  const waiting = new Map<string, number>();
  const unanswered = new Set<Call>();

  const scheduler = createScheduler(() => {
    invariants.settled();
    if (violation) throw violation;
  });
  const violated: Observed["violated"] = (rule, what) => {
    violation ??= new Violation(rule, what);
  };
  const truth: Observed["truth"] = (identity, cost) =>
    redis.look(
      keysOf(scenario, identity),
      settings.policies.map(({ algorithm, limit, parameters }) => ({
        cost,
        role: "e",
        algorithm,
        limit,
        parameters,
      })),
    );
  const invariants = everyInvariant({
    scenario,
    scheduler,
    statistics,
    truth,
    violated,
  });
  const redis = createSimulatedRedis(
    scheduler,
    {
      executed(execution, call) {
        trace(
          () =>
            `    redis, call ${call.number} of "${call.identity}": ${describeExecution(execution)}`,
        );
        call.executions.push(execution);
        invariants.executed(execution, call);
      },
      lost: invariants.lost,
      stepped: invariants.stepped,
    },
    scenario.redis,
  );
  /** Isolates that have had a reply in time. */
  const inContact = new Set<number>();
  const patienceMs = (isolate: number) =>
    inContact.has(isolate) ? timeoutMs : Math.max(timeoutMs, Math.min(4 * timeoutMs, 1_000));
  const network = createNetwork(
    scheduler,
    redis,
    clocks.length,
    calm,
    (call) => {
      invariants.sending(call);
      const { number, clock } = call.isolate;
      if (call.commands === 1) call.deadline = clock.timeAfter(patienceMs(number));
    },
    ({ isolate, deadline }) => {
      if (scheduler.now < deadline) inContact.add(isolate.number);
    },
  );
  const isolates = clocks.map((difference, number): Isolate => {
    const clock = createIsolateClock(difference, scheduler);
    const limiter = assembleLimiter({
      client: network.client(number, () => (clientAborts ? patienceMs(number) : undefined)),
      settings: { ...settings, now: steadyClock(clock.monotonic) },
      timeoutMs,
      dialect,
      onStoreError: () => invariants.reported(scheduler.running!),
    });
    return { number, clock, limiter };
  });

  /** Whether the isolate is asking already for an answer that may be one to this, too. */
  function mayWait(isolate: Isolate, { method, identity, cost }: Ask): boolean {
    return [...unanswered].some(
      (other) =>
        other.isolate === isolate &&
        other.identity === identity &&
        other.cost <= cost &&
        isDecided(other.method) &&
        isDecided(method),
    );
  }

  function answered(call: Call, answer: Answer): void {
    unanswered.delete(call);
    trace(() => `  call ${call.number}: ${describeAnswer(call, answer)}`);
    call.answer = answer;
    const rows = answer.decision?.policies ?? [];
    if (rows.some(({ retryAfterMs }) => retryAfterMs > 0)) {
      waiting.set(call.identity, call.isolate.number);
    }
    invariants.answered(call, answer);
    settleLater(call, answer);
  }

  /** A hold that was admitted ends; and again, where its settlement surely did not run. */
  function settleLater(call: Call, { decision, settlement }: Answer): void {
    const { isolate, identity, end, settles, cost } = call;
    if (call.method === "reserve" && decision!.allowed && end) {
      const ends = { hold: decision as Hold, call };
      settleAt(scheduler.now + end.after, isolate, { identity, cost: end.used, settles: ends });
    }
    // A charge counts in the isolate, too, with each attempt.
    if (settlement?.status === "not-sent" && cost <= settles!.call.cost) {
      settleAt(scheduler.now + AGAIN, isolate, { identity, cost, settles });
    }
  }

  function settleAt(at: number, { number }: Isolate, ask: Omit<Ask, "method">): void {
    scheduler.at(at, () => simulation.call(number, { ...ask, method: "settle" }, at));
  }

  const simulation: Simulation = {
    scheduler,
    network,
    redis,
    isolates,
    waiting,
    truth,

    stepClock(number, by) {
      isolates[number]!.clock.step(by);
      invariants.set(isolates[number]!, by);
    },

    call(number, ask, seed) {
      const isolate = isolates[number]!;
      const call: Call = {
        ...ask,
        number: ++calls,
        isolate,
        random: createRandom(seed),
        calledAt: scheduler.now,
        deadline: mayWait(isolate, ask) ? isolate.clock.timeAfter(MAX_WAIT_MS) : scheduler.now,
        commands: 0,
        executions: [],
        received: undefined,
        answer: undefined,
      };
      trace(() => `call ${call.number}, isolate ${isolate.number}: ${describeAsk(ask)}`);
      unanswered.add(call);
      invariants.called(call);
      scheduler.runAs(call, () => {
        void start(call)
          .then(
            (result) => answered(call, answerOf(result)),
            (error) => answered(call, { error }),
          )
          .catch((error) => violated("simulator", error.stack));
      });
      return call;
    },
  };
  return simulation;
}

/** The result of a call: not a turn later, because the invariants see the order of events. */
function start(call: Call): Promise<Decision | Settlement | void> {
  const { isolate, method, identity, cost, settles } = call;
  switch (method) {
    case "limit":
    case "peek":
    case "reserve":
      return isolate.limiter[method](identity, { cost });
    case "charge":
      return isolate.limiter.charge(identity, cost);
    case "settle":
      return settles!.hold.settle(cost);
    case "reset":
      return isolate.limiter.reset(identity);
  }
}

function answerOf(result: Decision | Settlement | void): Answer {
  if (!result) return {};
  return "returned" in result ? { settlement: result } : { decision: result };
}
