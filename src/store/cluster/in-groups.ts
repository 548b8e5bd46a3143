import { isNotAsked, StoreError } from "../../options/errors.ts";

/** The items of a list whose keys share a place. */
type OfPlace = <Item>(list: readonly Item[]) => readonly Item[];

/**
 * Makes a call for each place, concurrently; all calls end before a failure is thrown. The failure means "not asked"
 * only if no place was asked.
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
  const ends = await Promise.allSettled(calls);
  const failures = ends.flatMap((end) =>
    end.status === "rejected" ? [end.reason as unknown] : [],
  );
  if (failures.length === 0) return;
  const sent = failures.find((error) => !(error instanceof StoreError && isNotAsked(error)));
  if (sent === undefined && failures.length < ends.length) throw partly(failures[0] as StoreError);
  throw sent ?? failures[0];
}

function partly({ message }: StoreError): StoreError {
  return new StoreError("ERR_STORE_UNREACHABLE", `Only some parts of the store did it. ${message}`);
}
