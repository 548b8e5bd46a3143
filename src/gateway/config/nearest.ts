/** A place by its latitude and longitude, in degrees. */
export type Place = readonly [latitude: number, longitude: number];

/**
 * Which of several stores is nearest. Each request is looked at before it is decided, and others may be in between: a wrong choice
 * costs latency, and exceeds no limit.
 */
export interface Nearest {
  /** Its place in the list. */
  now(): number;
  /** Looks at where Cloudflare says that the client is. An unknown client is taken for one near the client before it. */
  note(request: Request): void;
}

/** @param places one for each store */
export function createNearest(places: readonly Place[]): Nearest {
  const points = places.map(pointAt);
  let nearest = 0;
  return {
    now: () => nearest,
    note(request) {
      const { latitude, longitude } = (request as WithPlace).cf ?? {};
      const [x, y, z] = pointAt([Number(latitude), Number(longitude)]);
      // The nearer two points of a sphere are, the larger is their product. Of an unknown place it is NaN, which is larger than none.
      let most = -Infinity;
      points.forEach(([px, py, pz], i) => {
        const product = x * px + y * py + z * pz;
        if (product > most) [most, nearest] = [product, i];
      });
    },
  };
}

/** The part of Cloudflare's request that says where the client is, as texts of degrees. */
interface WithPlace {
  readonly cf?: { readonly latitude?: string; readonly longitude?: string };
}

/** A place as a point of a sphere. */
function pointAt([latitude, longitude]: Place): readonly [number, number, number] {
  const [north, east] = [latitude, longitude].map((degrees) => (degrees * Math.PI) / 180);
  return [Math.cos(north!) * Math.cos(east!), Math.cos(north!) * Math.sin(east!), Math.sin(north!)];
}
