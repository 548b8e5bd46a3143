/** Of a list, the items whose keys have one place. */
type OfPlace = <Item>(list: readonly Item[]) => readonly Item[];

/**
 * Calls for each place by itself, side by side; all calls end before the first failure is thrown.
 *
 * @param places one per key
 */
export async function inGroups(
  places: readonly number[],
  call: (of: OfPlace) => Promise<void>,
): Promise<void> {
  const calls = [...new Set(places)].map((place) =>
    call((list) => list.filter((_, i) => places[i] === place)),
  );
  const failure = (await Promise.allSettled(calls)).find(({ status }) => status === "rejected");
  if (failure) throw (failure as PromiseRejectedResult).reason;
}
