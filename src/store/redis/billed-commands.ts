import type { Algorithm } from "../../policy/policy.ts";

/*
 * The cost of a decision where Redis bills commands: those inside a script count like any other. The script reads once and writes
 * once, as lua/decide.lua does; test/lua/cost.test.ts counts the commands of a real server.
 */

/** How many commands a decision is, with the EVALSHA itself. */
export interface DecisionCommands {
  readonly allowed: number;
  readonly denied: number;
}

/** The call itself, such as EVALSHA. */
const CALL = 1;

/** TIME, with which each script begins. */
export const TIME = 1;

/** Upstash, pay as you go, in November 2026: $0.20 for 100,000 commands. */
export const DOLLARS_PER_MILLION_COMMANDS = 2;

/** The commands of a decision by policies that count requests, once they have counted the client before. */
export function decisionCommands(algorithms: readonly Algorithm[]): DecisionCommands {
  const denied = CALL + TIME + readCommands(algorithms);
  return { allowed: denied + algorithms.length, denied };
}

/** The commands that read the states: one for each log, and one for all others; concurrency reads with what it asks. */
export function readCommands(algorithms: readonly Algorithm[]): number {
  let logs = 0;
  let others = 0;
  for (const algorithm of algorithms) {
    if (algorithm === "sliding-window-log") logs++;
    else if (algorithm !== "concurrency") others = 1;
  }
  return logs + others;
}

/** The price of a million decisions on Upstash, in dollars, by the commands of one. */
export function dollarsPerMillion(commands: number): number {
  return commands * DOLLARS_PER_MILLION_COMMANDS;
}
