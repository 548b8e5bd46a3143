import type { Results } from "../results.ts";
import { type PeerFigure, peerFigures } from "./part-figures.ts";

/** A figure of the part "trips", and the terms that its name holds. */
export interface Scene {
  readonly algorithm: string;
  readonly load: number;
  readonly isolates: number;
  /** Whether the isolates share their denials. */
  readonly sharing: boolean;
  readonly figure: PeerFigure;
}

const NAME =
  /^(?<algorithm>[\w-]+), load (?<load>[\d.]+), (?<isolates>\d+) isolates?(?<sharing> .*)?$/;

/** The figures that are about this, as `Redis calls per decision`. */
export function scenesOf(results: Results, about: string): Scene[] {
  const end = `: ${about}`;
  return peerFigures(results, "trips").flatMap((figure) => {
    if (!figure.name.endsWith(end)) return [];
    const parts = NAME.exec(figure.name.slice(0, -end.length))?.groups;
    if (!parts) throw new Error(`the name of a figure is not known: ${figure.name}`);
    return {
      algorithm: parts["algorithm"]!,
      load: Number(parts["load"]),
      isolates: Number(parts["isolates"]),
      sharing: parts["sharing"] !== undefined,
      figure,
    };
  });
}
