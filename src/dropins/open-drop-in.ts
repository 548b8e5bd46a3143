import { DEFAULTS, PREFIX } from "../limiter/settings.ts";
import type { Faults } from "../options/faults.ts";
import { CHOICE, PREFIX as PREFIX_FAULT } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { openStore, type StoreOptions } from "../store/open-store.ts";
import { clients } from "../store/redis/client-adapter.ts";
import type { MoreScripts } from "../store/redis/script-calls.ts";
import type { Store } from "../store/store.ts";

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

/** The store of a drop-in, the prefix of its keys, and the fallback while the store gives no answer. */
export interface DropIn {
  readonly store: Store;
  readonly prefix: string;
  readonly onFailure: "local" | "error";
}

/**
 * Opens the store of a drop-in, with the scripts that it needs.
 *
 * @param faults those of the drop-in's other options
 * @throws ConfigurationError with every fault
 */
export function openDropIn(unchecked: DropInOptions, scripts: MoreScripts, faults: Faults): DropIn {
  const options = checkedOptions(unchecked, NAMES, faults);
  const { prefix = DEFAULTS.prefix, onFailure = "local" } = options;
  if (!PREFIX.test(prefix)) faults.add("prefix", prefix, PREFIX_FAULT);
  if (!VERDICTS.includes(onFailure)) faults.add("onFailure", onFailure, CHOICE, VERDICTS);
  const store = openStore(options, { scripts, clients }, readEnvironment(), faults)!;
  faults.throwIfAny();
  return { store, prefix, onFailure };
}
