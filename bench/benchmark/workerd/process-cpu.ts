import { readFileSync } from "node:fs";

/** A tick of the counters in /proc, the same on every Linux that Node runs on. */
const TICK = 10_000;

/** Microseconds of processor time that another process has used; only Linux says so. */
export function processCpu(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return undefined;
  }
}
