import type { Row } from "../../../src/algorithms/model.ts";
import type { Call, Execution } from "../call.ts";
import type { Scheduler } from "../scheduler.ts";
import { createKeyspace } from "./keyspace.ts";
import { type Command, createScriptEngine, type ScriptAnswer } from "./script-engine.ts";
import { decide, type PolicyArguments } from "./script.ts";

export type RedisAnswer = ScriptAnswer | "unreachable";

/** State that the server no longer has: of which keys, and of which executions (`undefined`: of all). */
export interface Loss {
  readonly keys: ReadonlySet<string> | undefined;
  readonly executions: ReadonlySet<number> | undefined;
}

export interface RedisObserver {
  executed(execution: Execution, call: Call): void;
  lost(loss: Loss): void;
  /** The clock jumped by this many microseconds. */
  stepped(by: number): void;
}

/** One Redis: its answers to commands, and everything that can happen to it. */
export interface SimulatedRedis {
  receive(command: Command, call: Call, respond: (answer: RedisAnswer) => void): void;
  /** Microseconds. */
  clock(): number;
  /** Its answer to a request at this moment, without a request: nothing changes. */
  look(keys: readonly string[], policies: readonly PolicyArguments[]): readonly Row[];

  /** Unreachable for a while, and then empty. */
  restart(downtime: number): void;
  /** Unreachable for a while; then a replica goes on that never got the last writes, nor any script. */
  failOver(lostWrites: number, downtime: number): void;
  stepClock(by: number): void;
  evict(key: string): void;
  /** Answers nothing for a while, then everything. */
  hang(duration: number): void;
  flushScripts(): void;
  /** Becomes a server with the key-locking flag, or one without. */
  setDialect(knowsKeyLocking: boolean): void;
  /** Ends the fault that keeps it from answering. */
  recover(): void;
}

export function createSimulatedRedis(
  scheduler: Scheduler,
  observer: RedisObserver,
  start: { readonly clock: number; readonly knowsKeyLocking: boolean },
): SimulatedRedis {
  const keyspace = createKeyspace();
  const engine = createScriptEngine(keyspace, scheduler, clock, observer.executed);
  engine.setDialect(start.knowsKeyLocking);
  let ahead = start.clock;
  let downUntil = 0;
  let hangsUntil = 0;
  let waiting: (() => void)[] = [];

  function clock(): number {
    return ahead + scheduler.now;
  }

  function goOn(): void {
    if (scheduler.now < hangsUntil) return;
    const work = waiting;
    waiting = [];
    for (const each of work) each();
  }

  function goDown(downtime: number): void {
    downUntil = Math.max(downUntil, scheduler.now + downtime);
    hangsUntil = 0;
    engine.flush();
    // A client that waits for a server that hangs loses the connection with it.
    goOn();
  }

  return {
    clock,

    receive(command, call, respond) {
      const work = () =>
        respond(scheduler.now < downUntil ? "unreachable" : engine.carryOut(command, call));
      if (scheduler.now < hangsUntil) waiting.push(work);
      else work();
    },

    look(keys, policies) {
      const now = clock();
      const entries = keys.map((key) => keyspace.read(key, now));
      return decide({ operation: "peek", policies }, entries, now);
    },

    restart(downtime) {
      goDown(downtime);
      keyspace.clear();
      observer.lost({ keys: undefined, executions: undefined });
    },

    failOver(lostWrites, downtime) {
      goDown(downtime);
      observer.lost(keyspace.rollBack(lostWrites));
    },

    stepClock(by) {
      ahead += by;
      keyspace.expire(clock());
      observer.stepped(by);
    },

    evict(key) {
      keyspace.write(key, undefined);
      observer.lost({ keys: new Set([key]), executions: undefined });
    },

    hang(duration) {
      hangsUntil = Math.max(hangsUntil, scheduler.now + duration);
      scheduler.at(hangsUntil, goOn);
    },

    flushScripts: engine.flush,
    setDialect: engine.setDialect,

    recover() {
      downUntil = hangsUntil = scheduler.now;
      goOn();
    },
  };
}
