import type { LiveStore, ReadState } from "../../store/control/control-store.ts";
import { type LiveState, NO_STATE } from "../../store/control/live-state.ts";
import { hasLost, restoredOver } from "../../store/control/put-back.ts";

/** Others may write or put back at the same moment. */
const MAX_ATTEMPTS = 3;

const CONTENDED =
  "the control store lacks live rules that this isolate holds and enforces, and others write there: the next read puts them back.";

/**
 * Reads live rules, and puts back the rules that an isolate holds and the store has lost. The isolate enforces rules that it cannot
 * put back all the same, and the state says why.
 *
 * @param report called when something was put back
 */
export function healing(
  store: LiveStore,
  wallNow: () => number,
  report: (message: string) => void,
): ReadState {
  return async function readAndHeal(held) {
    for (let attempt = 1; ; attempt++) {
      const found = await store.read(held);
      if (!hasLost(found, held)) return found;
      const stored = await whole(found, held);
      const restored = restoredOver(stored, held, wallNow());
      let isDone: boolean;
      try {
        isDone = await store.putBack(stored.revision, restored);
      } catch (error) {
        return { ...restored.state, misread: notPutBack(error as Error) };
      }
      if (isDone) {
        report(putBack(restored.state));
        return restored.state;
      }
      if (attempt === MAX_ATTEMPTS) return { ...held, misread: CONTENDED };
    }
  };

  /** The reader leaves out what an older state has. */
  async function whole(found: LiveState, held: LiveState): Promise<LiveState> {
    const isPart = found.revision > 0 && found.revision < held.revision;
    return isPart ? store.read(NO_STATE) : found;
  }
}

function contentOf({ version, entries }: LiveState): string {
  const count = Object.keys(entries).length;
  const document = version > 0 ? `version ${version}` : "no document";
  return `${document} and ${count} ${count === 1 ? "entry" : "entries"} by single calls`;
}

function putBack(state: LiveState): string {
  return `the control store had lost live rules: ${contentOf(state)} were put back. Its draft, the older history and the audit are not known here.`;
}

function notPutBack({ message }: Error): string {
  return `the control store has lost live rules. Isolates that hold them still enforce them, new ones enforce the deployed rules, and they could not be put back: ${message} \`tidegate rules pull --held\` reads what an isolate still holds.`;
}
