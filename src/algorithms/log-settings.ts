import type { ModelRequest } from "./model.ts";
import { RUN, type SlidingWindowLogParameters, type SlidingWindowLogState } from "./runs.ts";

/*
 * The living settings of a log: a gradual deployment, or two services that share a name. Each decides by its own limit
 * and window, and the log keeps the units of the longest window.
 */

export type LogRequest = ModelRequest<SlidingWindowLogParameters>;
type Settings = Pick<SlidingWindowLogState, "longestUs" | "largest" | "askingUs" | "renewalMs">;

/** A request that takes nothing keeps its setting alive, too. */
export function keepAlive(
  state: SlidingWindowLogState,
  request: LogRequest,
): SlidingWindowLogState {
  return joins(state, request) && isCounted(state, request)
    ? { ...state, ...withSetting(state, request) }
    : state;
}

/** Whether the request's setting is not yet among those that have asked. */
function joins({ askingUs, largest }: SlidingWindowLogState, request: LogRequest): boolean {
  return request.parameters.windowUs > askingUs || request.limit > largest;
}

/** Whether the window of any setting that is alive still holds units: without units, the settings that asked are unknown. */
function isCounted({ runs, longestUs }: SlidingWindowLogState, request: LogRequest): boolean {
  const newestUs = runs.at(-RUN);
  const { windowUs } = request.parameters;
  return newestUs !== undefined && newestUs > request.nowUs - Math.max(longestUs, windowUs);
}

/** A renewal that lies further ahead than any does was written before the clock went back. */
function isDueAt({ longestUs, renewalMs }: SlidingWindowLogState, nowUs: number): boolean {
  return renewalMs * 1000 <= nowUs || renewalMs * 1000 > nowUs + 2 * longestUs;
}

/** The settings after a request that takes. Those of before are alive until the next renewal, after the longest window. */
export function settingsAfter(
  state: SlidingWindowLogState | undefined,
  request: LogRequest,
): Settings {
  const { nowUs, limit, parameters } = request;
  const isDue = state && isDueAt(state, nowUs);
  if (state && !isDue && !joins(state, request)) return state;
  if (!state || !isCounted(state, request)) {
    const { windowUs } = parameters;
    const renewalMs = renewalAfter(windowUs, nowUs);
    return { longestUs: windowUs, largest: limit, askingUs: windowUs, renewalMs };
  }
  if (!isDue) return withSetting(state, request);
  const renewed = withSetting({ ...state, longestUs: state.askingUs, askingUs: 0 }, request);
  return { ...renewed, renewalMs: renewalAfter(renewed.longestUs, nowUs) };
}

/** A longer window moves the renewal, and with it the expiry of the key. */
function withSetting(
  before: Settings,
  { nowUs, limit, parameters: { windowUs } }: LogRequest,
): Settings {
  return {
    longestUs: Math.max(before.longestUs, windowUs),
    largest: Math.max(before.largest, limit),
    askingUs: Math.max(before.askingUs, windowUs),
    renewalMs: windowUs > before.longestUs ? renewalAfter(windowUs, nowUs) : before.renewalMs,
  };
}

const renewalAfter = (longestUs: number, nowUs: number) =>
  Math.floor(nowUs / 1000) + Math.ceil(longestUs / 1000) + 1;
