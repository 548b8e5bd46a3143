import { useEffect, useState } from "hono/jsx/dom";

import { ApiError } from "../api/api.ts";
import { useSession } from "../api/session.ts";
import { useLive } from "./live.ts";

/** An answer of the API, as it is now. */
export interface Loaded<Answer> {
  /** The last one, also if a later request failed. */
  readonly data: Answer | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}

interface Held<Answer> {
  readonly key: string;
  readonly data?: Answer;
  readonly error?: ApiError | undefined;
}

/**
 * Reads a path, and reads it again with every tick.
 *
 * @param key names the data: for another one there is no answer yet
 * @param pathOf the path, asked at the moment of reading
 * @param body the question, where the API takes it as the body of a POST
 */
export function useAnswer<Answer>(
  key: string,
  pathOf: (nowMs: number) => string = () => key,
  body?: object,
): Loaded<Answer> {
  const { api } = useSession();
  const { tick } = useLive();
  const [nonce, setNonce] = useState(0);
  const [held, setHeld] = useState<Held<Answer>>({ key });

  useEffect(() => {
    let isCurrent = true;
    const path = pathOf(Date.now());
    const answer = body ? api.send<Answer>("POST", path, { body }) : api.get<Answer>(path);
    answer.then(
      (data) => isCurrent && setHeld({ key, data }),
      (error: ApiError) =>
        isCurrent && setHeld((before) => ({ ...(before.key === key && before), key, error })),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, key, tick, nonce]);

  const known = held.key === key ? held : { key };
  return {
    data: known.data,
    error: known.error,
    reload: () => setNonce((before) => before + 1),
  };
}
