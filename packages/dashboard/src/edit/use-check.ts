import { useEffect, useState } from "hono/jsx/dom";

import type { Changes } from "../api/answers.ts";
import type { ApiError } from "../api/api.ts";
import { useSession } from "../api/session.ts";
import { type PlacedFault, readJson } from "./json-text.ts";

/** The state of a text: unknown, its faults, or its changes. */
export type Checked =
  | { readonly state: "checking" }
  | { readonly state: "faulty"; readonly faults: readonly PlacedFault[] }
  | ({ readonly state: "sound" } & Pick<Changes, "changes" | "countsAnew">)
  | { readonly state: "failed"; readonly error: ApiError };

const PAUSE_MS = 400;

/** A text after a pause in typing: slow work waits for the pause. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Has the gateway check a text against the version in force. */
export function useCheck(text: string, version: number): Checked {
  const { api } = useSession();
  const [known, setKnown] = useState<{
    readonly of: string;
    readonly version: number;
    readonly checked: Checked;
  }>();

  useEffect(() => {
    let isCurrent = true;
    const tell = (checked: Checked) => isCurrent && setKnown({ of: text, version, checked });
    const json = readJson(text);
    if (json.faults.length > 0) {
      tell({ state: "faulty", faults: json.faults });
    } else {
      api.send<Changes>("PUT", "/rules?dry-run", { body: text }).then(
        ({ changes, countsAnew = [] }) => tell({ state: "sound", changes, countsAnew }),
        (error: ApiError) =>
          error.faults.length > 0
            ? tell({ state: "faulty", faults: json.place(error.faults) })
            : tell({ state: "failed", error }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [text, version]);

  return known?.of === text && known.version === version ? known.checked : { state: "checking" };
}
