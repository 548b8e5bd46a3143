import type { Implementation } from "../algorithms/algorithm.ts";
import type { AnyModel, Row } from "../algorithms/model.ts";
import { createDenialCache } from "../decide/denial-cache.ts";
import { warnOfRawAddress, partitionKey } from "../decide/identify.ts";
import { StoreError } from "../options/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { setRecent } from "../runtime/lru.ts";
import { monotonicNow, steadyClock } from "../runtime/time.ts";
import { createStates } from "../store/states.ts";
import type { Reply } from "../store/store.ts";
import type { DropIn } from "./open-drop-in.ts";

/** A question about one key. */
export interface Question<Parameters> {
  readonly operation: "consume" | "charge" | "peek";
  readonly limit: number;
  readonly parameters: Parameters;
  /** Names the numbers by which a denial is remembered; left out if none is. */
  readonly rule?: string;
}

/** An answer about one key. */
export interface Answer extends Row {
  /** By the counter's clock, in microseconds since 1970. */
  readonly nowUs: number;
  /** Why the store gave none, so that this process counted. */
  readonly error?: StoreError;
}

/** Counts keys in the place of another package's store, and in this process while Redis gives no answer. */
export interface Counts<Parameters> {
  /**
   * Asks about a key, with one call at most.
   *
   * @throws StoreError with `onFailure: "error"`, if Redis gives no answer
   */
  ask(key: unknown, question: Question<Parameters>): Promise<Answer>;
}

export interface CountsBy<Parameters, State> {
  /** Ends its keys in Redis, so that drop-ins of one prefix count apart. */
  readonly name: string;
  readonly algorithm: Implementation;
  /** The names of the parameters, in the order in which the script takes them after the limit. */
  readonly parameters: readonly (keyof Parameters)[];
  unitsOf(state: State): number;
  /** The units that Redis counts after an answer. */
  unitsAfter(question: Question<Parameters>, row: Row): number;
  /**
   * The state of a key after an answer of Redis, by this process's clock.
   *
   * @param units those of the answer, and those that this process has counted itself
   * @param before the state in this process, if it still counts
   */
  adopt(
    row: Row,
    nowUs: number,
    question: Question<Parameters>,
    units: number,
    before: State | undefined,
  ): { readonly state: State; readonly endsUs: number };
}

/** The cost of every question. Points may be negative, so the script gets them as numbers of the question. */
const ONE = [1];

/** How many keys are known, of denials and of answers. */
const MAX_KEYS = 10_000;

/** The last answer of Redis about a key. */
interface Noted<Parameters> {
  readonly reply: Reply;
  readonly question: Question<Parameters>;
  /** Its arrival, by this process's clock. */
  readonly hereUs: number;
}

/** The traits of a policy besides its numbers. The stores read only the role. */
const TRAITS = {
  advertise: false,
  onFailure: undefined,
  retryJitter: undefined,
  by: undefined,
  mode: "enforce",
  refundable: false,
  countsFailures: false,
  shards: 1,
  role: "enforced",
  field: "",
  windowUs: 0,
} as const;

/**
 * The process notes Redis's answers, so that an outage goes on from them: a count and a block stay what they were. What it
 * counts in an outage is added to later answers, so that outages that come and go give no fresh quota.
 */
export function openCounts<Parameters extends Readonly<Record<string, number>>, State>(
  { store, prefix, onFailure }: DropIn,
  { name, algorithm, parameters: order, unitsOf, unitsAfter, adopt }: CountsBy<Parameters, State>,
): Counts<Parameters> {
  const states = createStates(({ implementation }) => implementation.model as AnyModel);
  const denials = createDenialCache(MAX_KEYS, 1);
  const clockUs = () => store.now?.() ?? Date.now() * 1000;
  const now = store.now ? steadyClock(() => store.now!() / 1000) : monotonicNow;
  const noted = new Map<string, Noted<Parameters>>();
  /** The units that Redis had counted, by the keys of the counts in this process. */
  const countedThere = new Map<string, number>();

  function policyOf({ limit, parameters }: Question<Parameters>): CompiledPolicy {
    const numbers = [limit, ...order.map((each) => parameters[each])];
    return {
      ...TRAITS,
      name,
      key: name,
      algorithm: algorithm.name as CompiledPolicy["algorithm"],
      implementation: algorithm,
      limit,
      parameters,
      scriptArguments: [algorithm.name, ...numbers.map(String)],
    };
  }

  function note(key: string, reply: Reply, question: Question<Parameters>, sentUs: number): void {
    const found = noted.get(key);
    // Answers to calls at the same time may overtake each other.
    if (found && found.hereUs >= sentUs && found.reply.nowUs > reply.nowUs) return;
    setRecent(noted, key, { reply, question, hereUs: clockUs() }, MAX_KEYS);
  }

  /** Goes on from the last answer of Redis, if there was one since this process last counted the key. */
  function adoptNoted(key: string): void {
    const found = noted.get(key);
    if (!found) return;
    noted.delete(key);
    const { reply, question, hereUs } = found;
    const row = reply.rows[0]!;
    const entry = states.entry(key);
    const before = entry && entry.endsUs > clockUs() ? (entry.state as State) : undefined;
    const own = before ? Math.max(0, unitsOf(before) - (countedThere.get(key) ?? 0)) : 0;
    const there = unitsAfter(question, row);
    const { state, endsUs } = adopt(row, hereUs, question, there + own, before);
    setRecent(countedThere, key, there, MAX_KEYS);
    states.keep(key, state, endsUs);
  }

  function countHere(key: string, question: Question<Parameters>, policy: CompiledPolicy): Reply {
    adoptNoted(key);
    const nowUs = clockUs();
    const row = states.transact(nowUs, [key], [policy], (ask) => ask(0, question.operation, 1));
    return { nowUs, rows: [row] };
  }

  async function decide(partition: string, question: Question<Parameters>): Promise<Answer> {
    const { operation, rule } = question;
    const known = rule === undefined ? "" : `${rule} ${partition}`;
    const sentAtMs = now();
    if (known !== "") {
      const found = denials.find(known, ONE, sentAtMs);
      if (found.state === "denied") return { ...found.rows[0]!, nowUs: found.nowUs };
    }
    const sentUs = clockUs();
    const policy = policyOf(question);
    const key = `${prefix}:{${partition}}:${name}`;
    try {
      const reply = await store.decide(operation, [key], ONE, [policy]);
      if (known !== "") denials.learn(known, ONE, sentAtMs, reply);
      note(key, reply, question, sentUs);
      return { ...reply.rows[0]!, nowUs: reply.nowUs };
    } catch (error) {
      if (onFailure === "error" || !(error instanceof StoreError)) throw error;
      const { nowUs, rows } = countHere(key, question, policy);
      return { ...rows[0]!, nowUs, error };
    }
  }

  return { ask: async (key, question) => decide(await partitionOf(key), question) };
}

/** The partition key of a key of another package, which may be anything. */
export function partitionOf(key: unknown): string | Promise<string> {
  const text = String(key);
  warnOfRawAddress(text);
  // Other packages count an empty key, too. No other key becomes this one.
  return text === "" ? "%" : partitionKey(text);
}
