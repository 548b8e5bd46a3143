import { expect, test } from "vitest";

import { createNearest, type Place } from "../../src/gateway/config/nearest.ts";
import { LOCATION_HINTS } from "../../src/store/region/location-hints.ts";

/* Which of several stores is nearest to a client, by the degrees of Cloudflare's `request.cf`. */

const hints = Object.keys(LOCATION_HINTS);

/** The parts of the world that clients of these places get, one after the other. */
function nearestTo(clients: readonly (Place | undefined)[]): string[] {
  const nearest = createNearest(Object.values(LOCATION_HINTS));
  return clients.map((place) => {
    const cf = place && { latitude: String(place[0]), longitude: String(place[1]) };
    nearest.note(Object.assign(new Request("https://example.com"), cf && { cf }));
    return hints[nearest.now()]!;
  });
}

test("each client gets the part of the world that is nearest to it", () => {
  const clients: Readonly<Record<string, Place>> = {
    "San Francisco": [37.8, -122.4],
    "New York": [40.7, -74],
    "São Paulo": [-23.5, -46.6],
    London: [51.5, -0.1],
    Warsaw: [52.2, 21],
    Singapore: [1.3, 103.8],
    Auckland: [-36.8, 174.8],
    Lagos: [6.5, 3.4],
    Nairobi: [-1.3, 36.8],
    Dubai: [25.2, 55.3],
    Honolulu: [21.3, -157.9],
    // Across the antimeridian from Sydney.
    Samoa: [-13.8, -171.8],
  };
  expect(
    Object.keys(clients).map((name, i) => [name, nearestTo(Object.values(clients))[i]]),
  ).toEqual([
    ["San Francisco", "wnam"],
    ["New York", "enam"],
    ["São Paulo", "sam"],
    ["London", "weur"],
    ["Warsaw", "eeur"],
    ["Singapore", "apac"],
    ["Auckland", "oc"],
    ["Lagos", "afr"],
    ["Nairobi", "afr"],
    ["Dubai", "me"],
    ["Honolulu", "wnam"],
    ["Samoa", "oc"],
  ]);
});

test("an unknown client is taken for one near the client before it, the first one for one near the first store", () => {
  const here: Place = [35.7, 139.7];
  expect(nearestTo([undefined, here, undefined, [NaN, 2]])).toEqual([
    "wnam",
    "apac",
    "apac",
    "apac",
  ]);
});
