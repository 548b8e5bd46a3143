/** Where the ways keep their counts: the Redis behind the distance, and a name that no other run has. */
export interface Place {
  readonly url: string;
  readonly run: string;
}

/** Decides a request in its isolate; resolves with whether it is allowed. */
export type Decide = (identity: string) => Promise<boolean>;

/** Opens one isolate's limiter of one kind. */
export type Way = (place: Place) => Decide;
