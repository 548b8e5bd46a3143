import { parametersByTime } from "../algorithms/calendar/definition.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { TracedRequest } from "./trace-text.ts";

/** Whether a policy would have had room for each request of a partition, in their order. */
export type Replay = (requests: readonly TracedRequest[]) => boolean[];

/** Replays the requests of one partition after another under a policy, by the model of its algorithm. */
export function replayUnder({ implementation, limit, parameters }: CompiledPolicy): Replay {
  const parametersAt = parametersByTime(parameters);
  return (requests) => {
    let state: unknown;
    return requests.map(({ ms, cost, isDenied }) => {
      if (cost > limit) return false;
      const operation = isDenied || cost === 0 ? "peek" : "consume";
      const then = parametersAt(ms);
      const asked = { nowUs: ms * 1000, operation, cost, limit, parameters: then } as const;
      const answer = implementation.model(state, asked);
      ({ state } = answer);
      return answer.allowed;
    });
  };
}
