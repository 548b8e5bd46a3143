import { Presets, SingleBar } from "cli-progress";

import type { Progress } from "./driver/records.ts";
import type { Load } from "./run/children.ts";

/** Shows how far a run is, and what happens in it; on a terminal only. */
export interface ProgressBar {
  update(progress: Progress, load: Load | undefined, elapsedMs: number): void;
  stop(): void;
}

export function startProgress(name: string, lengthMs: number): ProgressBar {
  if (!process.stderr.isTTY) console.error(`${name} …`);
  const bar = new SingleBar(
    {
      format: `${name.padEnd(22)} {bar} {value}/{total} s  sent {sent}  allowed {allowed}  429 {denied}  failed {failed}  queue {waiting}`,
      hideCursor: true,
      stream: process.stderr,
    },
    Presets.shades_classic,
  );
  const total = Math.round(lengthMs / 1000);
  bar.start(total, 0, { sent: 0, allowed: 0, denied: 0, failed: 0, waiting: 0 });
  return {
    update(progress, load, elapsedMs) {
      const seconds = Math.min(total, Math.floor(elapsedMs / 1000));
      bar.update(seconds, { ...progress, waiting: load?.waiting ?? 0 });
    },
    stop: () => bar.stop(),
  };
}
