import { type Child, createPortal, useEffect, useRef, useState } from "hono/jsx/dom";

import { ApiError } from "../api/api.ts";
import { Failed } from "./states.tsx";

interface AskProps {
  readonly title: string;
  /** The label of the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly children?: Child;
  /** Whether there is a field for a note, and its label. */
  readonly note?: string;
  /** Does it; the dialog shows an error that it throws, and stays. */
  readonly act: (note: string) => Promise<void>;
  readonly close: () => void;
}

/** A dialog that asks before something is done. */
export function Ask({ title, verb, isDangerous, children, note, act, close }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement as HTMLElement | null;
    element.showModal();
    element.addEventListener("close", close);
    return () => {
      element.removeEventListener("close", close);
      before?.focus();
    };
  }, []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await act(field.current?.value.trim() ?? "");
      dialog.current?.close();
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  // An element that does not move when answers come: a dialog that is moved no longer keeps the rest from being used.
  return createPortal(
    <dialog ref={dialog} aria-labelledby="ask-title">
      <form onSubmit={submit}>
        <h2 id="ask-title">{title}</h2>
        {children}
        {note && (
          <label>
            <span>{note}</span>
            <input type="text" maxlength={200} ref={field} autocomplete="off" />
          </label>
        )}
        {error && <Failed error={error} />}
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </dialog>,
    document.body,
  );
}
