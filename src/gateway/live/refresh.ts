import { TIMED_OUT, withTimeout } from "../../runtime/time.ts";
import type { WaitUntil } from "../../runtime/wait-until.ts";
import { createWaitingRoom } from "../../runtime/waiting-room.ts";
import type { ReadState } from "../../store/control/control-store.ts";
import { type LiveState, NO_STATE } from "../../store/control/live-state.ts";
import { firstContactMs } from "../../store/first-contact.ts";

export interface RefreshOptions {
  readonly read: ReadState;
  /** The same, past any cache. */
  readonly readStore: ReadState;
  /** How often an isolate asks, in milliseconds. */
  readonly refreshMs: number;
  /**
   * How long a request waits for the answer where nothing recent is known, in milliseconds; longer until the first one, as
   * `firstContactMs` says.
   */
  readonly timeoutMs: number;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** In milliseconds since 1970. */
  readonly wallNow: () => number;
  /** Puts a newer state into force. After it throws, the state is read and given again with the next refresh. */
  readonly adopt: (state: LiveState) => unknown;
  /** Runs in the background after reads that requests began. */
  readonly afterRead?: () => Promise<void>;
  /** Called when reads begin to fail, and when the stored rules begin to have faults. */
  readonly onError: (message: string) => void;
}

/** How long a loss that was put back is told. */
const TOLD_MS = 3_600_000;

/** Keeps the rules of an isolate close to those in the control store. */
export interface Refresh {
  /**
   * Called with each request. Usually it returns at once: the first one that finds the last answer too old asks in the
   * background.
   * Returns a promise if the request has to wait, because the isolate is new, or has slept for longer than twice the
   * refresh: its rules may be older than was promised.
   */
  before(waitUntil: WaitUntil): Promise<unknown> | undefined;
  /** Asks the store itself, and resolves when the answer is in force. Rejects if there is none. */
  readNow(): Promise<void>;
  /** Since the last answer, in milliseconds; `undefined` before the first. */
  ageMs(): number | undefined;
  /** Why the rules in the store are not in force, by the last read; `undefined` if they are. */
  error(): string | undefined;
  /** Whether the last read had no answer: the rules of the read before stay in force. */
  isUnread(): boolean;
  /** When a gateway put back what the store had lost, in the last hour and since the last publication, as a time of 1970. */
  lostAtMs(): number | undefined;
}

/** Why a read had no effect. Each kind is reported when it begins, and again after a read in between that succeeded. */
interface Failure {
  readonly kind: "unread" | "misread";
  readonly message: string;
}

export function createRefresh(options: RefreshOptions): Refresh {
  const { refreshMs, now, wallNow, adopt, onError } = options;
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
  let lostAtMs = 0;

  function noteOutcome(next: Failure | undefined): void {
    if (next && next.kind !== failure?.kind) onError(next.message);
    failure = next;
  }

  async function ask(read: ReadState): Promise<void> {
    const state = await read(known);
    timeoutMs = options.timeoutMs;
    // Publications that are newer than an answer that was on its way stay in force.
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
    lostAtMs = state.lostAtMs;
    const { misread } = state;
    noteOutcome(misread === undefined ? undefined : { kind: "misread", message: misread });
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
      waitUntil(asking.then(options.afterRead));
      return isRecent ? undefined : withTimeout(timeoutMs, () => asking);
    },

    async readNow() {
      const outcome = await withTimeout(timeoutMs, () => ask(options.readStore));
      if (outcome === TIMED_OUT) throw new Error("the control store did not answer in time");
    },

    ageMs: () => (heardAtMs === -Infinity ? undefined : now() - heardAtMs),
    error: () => failure?.message,
    isUnread: () => failure?.kind === "unread",
    lostAtMs: () => (wallNow() - lostAtMs < TOLD_MS ? lostAtMs : undefined),
  };
}
