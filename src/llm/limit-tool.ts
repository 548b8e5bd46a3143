import type { Decision } from "../decide/decision.ts";
import type { Reserve } from "../decide/hold.ts";
import type { Cost, Identity } from "../decide/limiter-types.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { keepAlive } from "../runtime/keep-alive.ts";
import { waitInWords } from "../runtime/wait-in-words.ts";
import { end } from "./settle-by-usage.ts";

/** The options of `limitTool()`. */
export interface LimitToolOptions<Given extends readonly unknown[]> {
  /** The caller of the tool, or a function of the tool's arguments that returns it. */
  readonly identity: Identity | ((...given: Given) => Identity | Promise<Identity>);
  /** The cost of a call. Default: 1 for every policy. */
  readonly cost?: Cost;
  /** The names of policies with `failures()`: a call costs them nothing if it succeeds. Default: none. */
  readonly failures?: readonly string[];
}

/** The result of a tool, as MCP has it. */
export interface ToolResult {
  readonly content?: unknown;
  readonly isError?: boolean | undefined;
}

/** The result of a denied call. */
export interface DeniedTool {
  readonly [name: string]: unknown;
  isError: true;
  content: { type: "text"; text: string }[];
}

/**
 * Limits a tool of an MCP server. A denied call has a result with `isError` that says when to try again, which the model reads. A result
 * with `isError` and an error that the tool throws are failures, which policies with `failures()` count: five of them in a minute,
 * for example, and a model that repeats a mistake has to wait.
 *
 * @param limiter with a policy that gives something back, such as one with `failures()`
 * @param tool the function that you would register
 * @throws ConfigurationError for an option that is unknown or of the wrong kind
 * @example
 * server.registerTool("search", { inputSchema }, limitTool(limiter, {
 *   identity: (_, { authInfo }) => authInfo?.clientId ?? "anonymous",
 *   failures: ["errors"],
 * }, ({ q }) => search(q)));
 */
export function limitTool<Given extends readonly unknown[], Result extends ToolResult>(
  limiter: Reserve,
  options: LimitToolOptions<Given>,
  tool: (...given: Given) => Result | Promise<Result>,
): (...given: Given) => Promise<Result | DeniedTool> {
  const { identity, cost, failures = [] } = checked(options, tool);
  const ofSuccess = Object.fromEntries(failures.map((name) => [name, 0]));

  return async (...given) => {
    const caller = typeof identity === "function" ? await identity(...given) : identity;
    const hold = await limiter.reserve(caller, { cost });
    if (!hold.allowed) return denied(hold);
    let hasFailed = true;
    try {
      const result = await tool(...given);
      hasFailed = result.isError === true;
      return result;
    } finally {
      keepAlive(end(() => hold.settle(hasFailed ? undefined : ofSuccess)));
    }
  };
}

function denied({ retryAfterMs }: Decision): DeniedTool {
  const when =
    retryAfterMs === Infinity
      ? "This call never fits it."
      : `Try again in ${waitInWords(Math.ceil(retryAfterMs / 1000))}.`;
  return { isError: true, content: [{ type: "text", text: `The limit is reached. ${when}` }] };
}

function checked<Given extends readonly unknown[]>(
  value: LimitToolOptions<Given>,
  tool: unknown,
): LimitToolOptions<Given> {
  const faults = new Faults();
  const options = checkedOptions(value, ["identity", "cost", "failures"], faults);
  if (typeof tool !== "function") {
    faults.add("tool", tool, FUNCTION, "runs the tool and returns its result");
  }
  faults.throwIfAny();
  return options;
}
