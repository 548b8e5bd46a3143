interface Part {
  stop(): Promise<void>;
}

/** The parts that have been started so far, to be stopped in the opposite order. */
export class Parts {
  readonly #stops: (() => Promise<void>)[] = [];
  #stopped: Promise<void> | undefined;

  async keep<T extends Part | undefined>(starting: Promise<T>): Promise<T> {
    const part = await starting;
    if (part) this.#stops.push(() => part.stop());
    return part;
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopAll());
  }

  /** One that fails to stop must not keep the others running. */
  async #stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const stop of this.#stops.toReversed()) await stop().catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}

/** Like Promise.all, but a failure is told only when none is under way any more, so that all can be stopped. */
export async function together<T extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as Promise<unknown> as Promise<T>;
}
