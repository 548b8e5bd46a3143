import { factsOf } from "../../support/algorithms/all.ts";
import type { Call } from "../call.ts";
import { count, type Invariant, keysOf, type Observed } from "./invariant.ts";
import { createLedger, type Ledger } from "./ledger.ts";

/**
 * The store never admits more than its algorithm promises: in the server's time, less what the server lost, and no
 * more than a window's worth for a forward step of its clock.
 */
export function boundedAdmissions({
  scenario,
  scheduler,
  statistics,
  violated,
}: Observed): Invariant {
  const ledgers = new Map<string, Ledger>();
  const { policies } = scenario.settings;

  function ledgerOf(key: string, policy: number): Ledger {
    let ledger = ledgers.get(key);
    if (!ledger)
      ledgers.set(
        key,
        (ledger = createLedger(policies[policy]!, factsOf(policies[policy]!.algorithm).promise)),
      );
    return ledger;
  }

  /** The refunds of a hold: no more than its unused units. */
  function takeBack(keys: readonly string[], given: readonly number[], call: Call): void {
    const { call: reserved } = call.settles!;
    for (const [i, key] of keys.entries()) {
      const { algorithm, parameters } = policies[i]!;
      const units = given[i]! / (parameters["intervalUs"] ?? 1);
      if (units > 0) count(statistics, "give-back");
      const most = reserved.cost - call.cost;
      const wrong = ledgerOf(key, i).giveBack(reserved.executions[0]!.number, units, most);
      if (wrong) violated("admissions", `${algorithm} ${key}: ${wrong}`);
    }
  }

  return {
    executed({ operation, costs, number, at, clock, keys, rows, given }, call) {
      const expected = keysOf(scenario, call.identity);
      if (keys.join() !== expected.join()) violated("keys", `${keys.join()} of ${call.identity}`);
      if (operation === "reset") for (const key of keys) ledgers.get(key)?.lose();
      if (operation === "refund") return takeBack(keys, given, call);
      const takes =
        operation === "charge" || (operation === "consume" && rows.every(({ allowed }) => allowed));
      if (!takes) return;
      for (const [i, key] of keys.entries()) {
        const charged = operation === "charge";
        const taken = { at, clock, units: costs[i]!, charged, execution: number };
        count(statistics, policies[i]!.algorithm);
        const excess = ledgerOf(key, i).take(taken);
        if (excess) violated("admissions", `${policies[i]!.algorithm} ${key}: ${excess}`);
      }
    },

    lost({ keys, executions }) {
      for (const [key, ledger] of ledgers) {
        if (executions) ledger.lose(executions);
        else if (!keys || keys.has(key)) ledger.lose();
      }
    },

    stepped(by) {
      for (const ledger of ledgers.values()) ledger.step(by, scheduler.now);
    },
  };
}
