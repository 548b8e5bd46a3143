import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

/** Tidegate needs a few for each set of algorithms. Redis 7.4 evicts from here on. */
const MANY_SCRIPTS = 500;

/** A fifth of the limiter's usual timeout, and a thousand times the time of a decision. */
const SLOW_MS = 50;

export function checkScriptCache({ info }: RedisFacts): Finding | undefined {
  const cached = Number(info?.get("number_of_cached_scripts") ?? 0);
  const evicted = Number(info?.get("evicted_scripts") ?? 0);
  if (evicted === 0 && cached < MANY_SCRIPTS) return undefined;
  return {
    id: "script-cache",
    severity: "warning",
    title: "Somebody sends ever new scripts to this Redis",
    evidence: `${cached} scripts are cached, ${evicted} were evicted`,
    remedy:
      "Find the client that builds scripts with values in their text, or give the limiter a Redis of its own: a script that is evicted has to be sent again.",
  };
}

/** One alone may be a moment in which the machine was busy. */
const FEWEST_SLOW = 3;

const SCRIPTED = /^(?:EVAL|EVALSHA|FCALL)(?:_RO)?$/;

export function checkSlowLog({ slow = [] }: RedisFacts): Finding | undefined {
  const late = slow.filter(({ name, ms }) => SCRIPTED.test(name) && ms >= SLOW_MS);
  if (late.length < FEWEST_SLOW) return undefined;
  const longest = Math.max(...late.map(({ ms }) => ms));
  return {
    id: "slow-scripts",
    severity: "warning",
    title: "Scripts have blocked Redis for long",
    evidence: `${late.length} in the slow log, the longest ${longest.toFixed(0)} ms`,
    remedy:
      "A decision takes far below a millisecond: look for scripts of others, for swapping, or for a shared processor. SLOWLOG RESET forgets these.",
  };
}

export function checkBusyThreshold({ config }: RedisFacts): Finding | undefined {
  const text = config.get("busy-reply-threshold") ?? config.get("lua-time-limit");
  if (text === undefined || Number(text) > 0) return undefined;
  return {
    id: "scripts-unstoppable",
    severity: "warning",
    title: "Nobody can stop a script that does not end",
    evidence: `busy-reply-threshold (lua-time-limit) is ${text}`,
    remedy: "Set it to 5000, the default: SCRIPT KILL works only once it has passed.",
  };
}
