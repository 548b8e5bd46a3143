import { createContext, useContext } from "hono/jsx/dom";

import type { Api } from "./api.ts";

/** The context of every view. */
export interface Session {
  readonly api: Api;
  readonly canWrite: boolean;
  /** Shows a message to the person, also through a screen reader. */
  readonly say: (text: string, offer?: Offer) => void;
}

/** The action that a message offers. */
export interface Offer {
  readonly verb: string;
  /** Says itself whether it worked. */
  readonly act: () => Promise<void>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  return useContext(SessionContext)!;
}

/** The tab's storage keeps edits of the rules under this key, until the person signs out. */
export const UNSAVED = "tidegate-edits";

export const READ_ONLY = "Your token only reads. Sign in with the ADMIN_TOKEN to change this.";
