import { byText } from "../decide/identify.ts";
import { createLocalUnits } from "../decide/local-units.ts";
import type { Features } from "../features/features.ts";
import { createContext, createPath } from "../limiter/limiter.ts";
import { checkSettings, DEFAULTS } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import type { Policy } from "../policy/policy.ts";
import { setRecent } from "../runtime/lru.ts";
import { takeTogether } from "../store/decide-together.ts";
import type { MoreScripts } from "../store/redis/script-calls.ts";
import { type DropInOptions, openDropIn } from "./open-drop-in.ts";

/** How many different rules are kept compiled. An application has a few; one that computes them may have any number. */
const MAX_RULES = 1_000;

/** A limiter's path, which also forgets. */
export type DropInCore = ReturnType<typeof createPath>;

/** The paths of decisions by different policies, which share a store. */
export interface Cores {
  /** The path of these policies: made once for each name. */
  of(rule: string, policies: () => readonly Policy[]): DropInCore;
}

interface Needs {
  readonly features: Features;
  readonly scripts: MoreScripts;
  /** Whether denials are remembered. */
  readonly remembers: boolean;
}

/**
 * Opens the store of limiters whose policies are known later: with a call.
 *
 * @param faults those of other options
 * @throws ConfigurationError with every fault
 */
export function openCores(
  options: DropInOptions,
  { features, scripts, remembers }: Needs,
  faults: Faults,
): Cores {
  const { store, prefix } = openDropIn(options, scripts, faults);
  const parts = { units: createLocalUnits(), together: takeTogether };
  const cores = new Map<string, DropInCore>();

  function make(policies: readonly Policy[]): DropInCore {
    const found = new Faults();
    const settings = checkSettings(
      {
        policies,
        prefix,
        // So that a request without an answer is told apart; then it passes.
        onFailure: "closed",
        denialCache: remembers && { maxEntries: DEFAULTS.maxDenials },
      },
      features,
      found,
    );
    found.throwIfAny();
    return createPath(createContext(store, settings, parts), features, byText);
  }

  return {
    of(rule, policies) {
      const core = cores.get(rule) ?? make(policies());
      setRecent(cores, rule, core, MAX_RULES);
      return core;
    },
  };
}
