import { Health } from "./answers.ts";
import type { Ask } from "./connection.ts";
import { CliError } from "./errors.ts";
import { escape } from "./output/escape.ts";
import { note } from "./output/print.ts";

/** Warns beside the contents of Redis if other rules are in force: the list is then only half of the truth. */
export async function noteDegraded(ask: Ask): Promise<void> {
  try {
    const { live } = (await ask({ method: "GET", path: "/health" }, Health)).value;
    if (live.restoredAt !== undefined) {
      note(
        `warning: the control store had lost live rules, put back at ${escape(live.restoredAt)}: tidegate audit says which.`,
      );
    }
    if (live.error !== undefined) note(`warning: the gateway is degraded: ${escape(live.error)}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    note(`warning: whether this is in force is not known: ${escape(error.message)}`);
  }
}
