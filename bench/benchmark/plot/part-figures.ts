import type { Figure, Spread } from "../figure.ts";
import type { Results } from "../results.ts";

export type PeerFigure = Figure & Required<Pick<Figure, "peer">>;
export type RatioFigure = PeerFigure & { readonly ratio: Spread };

/** The figures of a part that have a peer; none if the part was not measured. */
export function peerFigures({ parts }: Results, part: string): PeerFigure[] {
  const figures = parts[part]?.figures ?? [];
  return figures.filter((figure): figure is PeerFigure => figure.peer !== undefined);
}

export function hasRatio(figure: PeerFigure): figure is RatioFigure {
  return figure.ratio !== undefined;
}
