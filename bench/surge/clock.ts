/**
 * Milliseconds of the system's monotonic clock, which all processes of one machine share: what one has sent and another
 * received can be compared.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
