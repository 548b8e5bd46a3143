/**
 * A moment by the clocks of a time zone, for people to read: `1 Dec 2026, 00:00, Europe/Berlin`. `undefined` where this
 * runtime does not know the zone: it may know fewer than the one that counts.
 */
export function momentIn(timeZone: string, iso: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone,
    });
    return `${format.format(Date.parse(iso))}, ${timeZone}`;
  } catch {
    return undefined;
  }
}
