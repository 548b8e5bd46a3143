/**
 * Milliseconds of the system's monotonic clock. All processes of one machine share it, so that times of sending and receiving can
 * be compared.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
