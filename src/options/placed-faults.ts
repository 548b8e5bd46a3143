import type { Fault } from "./errors.ts";
import { Faults } from "./faults.ts";

/** The position of a part of a configuration. */
interface Position {
  /** The paths in the whole for a path in the part: none for a fault that is known already. */
  readonly pathsOf: (path: string) => readonly string[];
  /** Ends every sentence. */
  readonly note?: string;
}

/** Collects the faults of a part, and puts them among those of the whole. Its own list has those that are known, too. */
export class PlacedFaults extends Faults {
  readonly #whole: Faults;
  readonly #position: Position;

  constructor(whole: Faults, position: Position) {
    super();
    this.#whole = whole;
    this.#position = position;
  }

  override put(fault: Fault): void {
    super.put(fault);
    const { pathsOf, note = "" } = this.#position;
    for (const path of pathsOf(fault.path)) {
      this.#whole.put({ ...fault, path, remedy: fault.remedy + note });
    }
  }
}
