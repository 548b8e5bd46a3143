import { byText } from "../decide/identify.ts";
import { createKit } from "../decide/kit.ts";
import { createCore } from "../decide/operations.ts";
import type { Verdict } from "../decide/step.ts";
import type { StoreError } from "../errors/errors.ts";
import type { Features } from "../limiter/features.ts";
import { checkSettings, DEFAULTS, PREFIX } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import { CHOICE, PREFIX as PREFIX_FAULT } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import type { Policy } from "../policy/policy.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { setRecent } from "../runtime/lru.ts";
import { takeTogether } from "../store/decide-together.ts";
import { createMemoryWith } from "../store/memory.ts";
import { openStore, type StoreOptions } from "../store/open-store.ts";
import { clients } from "../store/redis/client-adapter.ts";
import type { MoreScripts } from "../store/redis/store.ts";

/** The Redis that counts in place of another package's store, and the verdict without it. */
export interface DropInOptions extends StoreOptions {
  /**
   * The start of every key in Redis: letters, digits, `.`, `_`, `-` and `:`. Give each limiter a prefix of its own, so that
   * they count separately. Range: 1 to 64 characters. Default: `"tg"`.
   */
  readonly prefix?: string;
  /**
   * The verdict while Redis gives no answer: `"local"` counts in this process's memory, `"error"` rejects with a
   * `StoreError`, about which the package that calls decides. Default: `"local"`.
   */
  readonly onFailure?: "local" | "error";
}

const NAMES = [
  "prefix",
  "onFailure",
  "redis",
  "store",
  "dialect",
  "timeout",
  "onStoreError",
] as const satisfies (keyof DropInOptions)[];

const VERDICTS = ["local", "error"] as const;

/** How many different rules are kept compiled. An application has a few; one that computes them may have any number. */
const MAX_RULES = 1_000;

/** A limiter's path, which also forgets. */
export type DropInCore = ReturnType<typeof createCore>;

/** The paths of decisions by different policies, which share a store. */
export interface Cores {
  /**
   * The path of these policies: made once for each name.
   *
   * @param remembers whether it remembers denials. Default: as all do
   */
  of(rule: string, policies: () => readonly Policy[], remembers?: boolean): DropInCore;
}

/** The needs of a package's drop-in. */
export interface Needs {
  readonly features: Features;
  readonly scripts: MoreScripts;
  /** Names of options that it has besides. */
  readonly more?: readonly string[];
  /** Whether denials are remembered. Default: they are. */
  readonly remembers?: boolean;
}

/**
 * Opens the store of a drop-in, whose policies are known later: with a call, or when a framework starts.
 *
 * @param faults those of the drop-in's other options
 * @throws ConfigurationError with every fault
 */
export function openCores(
  unchecked: DropInOptions,
  { features, scripts, more = [], remembers: all = true }: Needs,
  faults: Faults = new Faults(),
): Cores {
  const options = checkedOptions(unchecked, [...NAMES, ...more], faults);
  const { prefix = DEFAULTS.prefix, onFailure = "local", store: own } = options;
  if (!PREFIX.test(prefix)) faults.add("prefix", prefix, PREFIX_FAULT);
  if (!VERDICTS.includes(onFailure)) faults.add("onFailure", onFailure, CHOICE, VERDICTS);
  const store = openStore(options, { scripts, clients }, readEnvironment(), faults)!;
  faults.throwIfAny();

  const memory = createMemoryWith(features.roles?.together ?? takeTogether);
  const cores = new Map<string, DropInCore>();
  function make(policies: readonly Policy[], remembers: boolean): DropInCore {
    const found = new Faults();
    const settings = checkSettings(
      {
        policies,
        prefix,
        onFailure: onFailure === "local" ? "local" : "closed",
        denialCache: remembers && { maxEntries: DEFAULTS.maxDenials },
        ...(own && { store: own }),
      },
      features,
      found,
    );
    found.throwIfAny();
    return createCore(createKit(store, settings, memory), features, byText);
  }

  return {
    of(rule, policies, remembers = all) {
      const core = cores.get(rule) ?? make(policies(), remembers);
      setRecent(cores, rule, core, MAX_RULES);
      return core;
    },
  };
}

/**
 * Returns the verdict that a counter has given.
 *
 * @throws StoreError if the store did not answer and no counter takes its place
 */
export function countedVerdict(verdict: Verdict): Verdict {
  if (verdict.status === 503) throw verdict.error as StoreError;
  return verdict;
}
