import { TIMED_OUT, withTimeout } from "../../runtime/timeout.ts";
import type { WaitUntil } from "../../runtime/wait-until.ts";
import { createWaitingRoom } from "../../runtime/waiting-room.ts";
import { type LiveState, NO_STATE } from "../../store/control/live-state.ts";
import type { ReadState } from "../../store/control/redis/read-state.ts";
import { firstContactMs } from "../../store/first-contact.ts";

export interface RefreshOptions {
  readonly read: ReadState;
  /** The same, past any cache. */
  readonly readRedis: ReadState;
  /** How often an isolate asks, in milliseconds. */
  readonly refreshMs: number;
  /**
   * How long a request waits for the answer where nothing recent is known, in milliseconds; longer until the first one, as
   * `firstContactMs` says.
   */
  readonly timeoutMs: number;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** Puts a newer state into force. After it throws, the state is read and given again with the next refresh. */
  readonly adopt: (state: LiveState) => unknown;
  /** Called when reading begins to fail, and when what Redis has is at fault in another way than before. */
  readonly onError: (message: string) => void;
}

const DELETED =
  "the live rules were deleted in Redis: isolates that know them still enforce them, new ones enforce the deployed rules. `tidegate rules pull --held` reads what an isolate still holds; publish it again.";
const OLDER =
  "Redis has an older copy of the live rules, as after a failover: isolates that know newer ones still enforce them, new ones enforce the copy. Publish them again.";

/** Keeps the rules of an isolate close to those in Redis. */
export interface Refresh {
  /**
   * Called with each request. Usually it returns at once: the first one that finds the last answer too old asks in the
   * background.
   * Returns a promise if the request has to wait, because the isolate is new, or has slept for longer than twice the
   * refresh: its rules may be older than was promised.
   */
  before(waitUntil: WaitUntil): Promise<unknown> | undefined;
  /** Asks Redis itself, and resolves when the answer is in force. Rejects if there is none. */
  readNow(): Promise<void>;
  /** Since the last answer, in milliseconds; `undefined` before the first. */
  ageMs(): number | undefined;
  /** Why the rules in Redis are not in force, by the last read; `undefined` if they are. */
  error(): string | undefined;
}

/** Why a read had no effect. Each kind is reported when it begins, and again after a read in between that succeeded. */
interface Failure {
  readonly kind: "unread" | "deleted" | "older" | "misread";
  readonly message: string;
}

export function createRefresh(options: RefreshOptions): Refresh {
  const { refreshMs, now, adopt, onError } = options;
  let timeoutMs = firstContactMs(options.timeoutMs);
  const room = createWaitingRoom();
  let known = NO_STATE;
  /** The newest state that is being put into force, which may take a read of the history. */
  let begun = 0;
  let askedAtMs = -Infinity;
  let heardAtMs = -Infinity;
  /** On Workers it stays true if the asking request has ended; then others wait no longer than the timeout. */
  let isAsking = false;
  let failure: Failure | undefined;

  function noteOutcome(next: Failure | undefined): void {
    if (next && next.kind !== failure?.kind) onError(next.message);
    failure = next;
  }

  async function ask(read: ReadState): Promise<void> {
    const before = known;
    const state = await read(before);
    timeoutMs = options.timeoutMs;
    // After a failover Redis may be an older copy: later publications stay in force.
    // So do publications that are newer than an answer that was on its way.
    if (state.revision > known.revision && state.revision >= begun) {
      begun = state.revision;
      try {
        await adopt(state);
      } catch (error) {
        begun = known.revision;
        throw error;
      }
      if (state.revision > known.revision) known = state;
    }
    heardAtMs = now();
    noteOutcome(failureOf(state, before));
  }

  async function inBackground(): Promise<void> {
    try {
      await ask(options.read);
    } catch (error) {
      const { message } = error as Error;
      noteOutcome({ kind: "unread", message: `the live rules were not read: ${message}` });
    } finally {
      isAsking = false;
      room.letGoOn();
    }
  }

  return {
    before(waitUntil) {
      const nowMs = now();
      const isRecent = nowMs - heardAtMs < 2 * refreshMs;
      if (nowMs - askedAtMs < refreshMs) {
        // After a failure no request waits before the next attempt.
        const leftMs = askedAtMs + timeoutMs - nowMs;
        return isRecent || !isAsking || leftMs <= 0 ? undefined : room.wait(leftMs);
      }
      askedAtMs = nowMs;
      isAsking = true;
      const asking = inBackground();
      waitUntil(asking);
      return isRecent ? undefined : withTimeout(timeoutMs, () => asking);
    },

    async readNow() {
      const outcome = await withTimeout(timeoutMs, () => ask(options.readRedis));
      if (outcome === TIMED_OUT) throw new Error("Redis did not answer in time");
    },

    ageMs: () => (heardAtMs === -Infinity ? undefined : now() - heardAtMs),
    error: () => failure?.message,
  };
}

/** @param known when the state was asked for: a publication while the answer was on its way makes it no older copy */
function failureOf(state: LiveState, known: LiveState): Failure | undefined {
  if (state.misread !== undefined) return { kind: "misread", message: state.misread };
  if (state.revision >= known.revision) return undefined;
  return state.revision === 0
    ? { kind: "deleted", message: DELETED }
    : { kind: "older", message: OLDER };
}
