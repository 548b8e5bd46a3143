import type { Command } from "commander";

import { Health, Live, Nothing } from "../answers.ts";
import { type Ask, connect } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { note } from "../output/print.ts";
import { change } from "./change.ts";
import { newestVersion } from "./newest-version.ts";

interface RollbackOptions {
  readonly to?: string;
  readonly discardHeld?: true;
  readonly note?: string;
}

/** Publishes an old version again, or takes back one that is tried. */
export async function rollback(
  { to, discardHeld, ...options }: RollbackOptions,
  command: Command,
): Promise<void> {
  if (to !== undefined && !/^(?:0|[1-9]\d{0,14})$/.test(to)) {
    throw new UsageError(`--to takes the number of a version, not "${to}".`);
  }
  if (!discardHeld) await requireKept(connect(command), to);
  await change("/rules/rollback", { ...(to && { to: Number(to) }), ...options }, command);
}

/**
 * A publication after Redis has lost the rules takes the place of those that isolates still hold, and of every block and
 * override by a single call.
 *
 * @throws UsageError where that may be so: an isolate that began since then holds none, and cannot say whether others do
 */
async function requireKept(ask: Ask, to: string | undefined): Promise<void> {
  const published = (await ask({ method: "GET", path: "/rules" }, Live)).value.version;
  const held = (await ask({ method: "GET", path: "/health" }, Health)).value.live.version;
  const isLost = held > published;
  if (!isLost && !(published === 0 && to === "0")) return;
  const why = isLost
    ? `Redis has lost version ${held}, which isolates still hold with its blocks and overrides`
    : "Redis has no published rules, so that there is nothing to take back, unless it has lost what isolates still hold";
  throw new UsageError(
    `${why}: \`tidegate rules pull --held -o rules.json\` and \`tidegate rules push rules.json\` keep it. To throw it away, add --discard-held.`,
  );
}

/** Takes the published rules back. */
export async function withdraw(_options: unknown, command: Command): Promise<void> {
  const ask = connect(command);
  const ifMatch = await newestVersion(ask);
  await ask({ method: "DELETE", path: "/rules", ifMatch }, Nothing);
  note(`Withdrew version ${ifMatch}: the deployed rules are in force. The history keeps it.`);
}
