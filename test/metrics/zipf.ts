import { random } from "../support/random.ts";

/** Draws from `clients` clients, of which each is as frequent as 1 / rank ^ skew. */
export function zipf(clients: number, skew: number, seed: number): () => number {
  const draw = random(seed);
  let sum = 0;
  const upTo = Array.from({ length: clients }, (_, i) => (sum += 1 / (i + 1) ** skew));
  return () => {
    const at = draw() * sum;
    let [low, high] = [0, clients - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
