import type { Finding } from "../finding.ts";
import { type GatewayFacts, isServed, quotasOf } from "../gather/gateway-facts.ts";
import type { HttpAnswer } from "../gather/http.ts";
import { isLimited } from "./limited-path.ts";

export function checkPaths(facts: GatewayFacts): Finding[] {
  if (!isLimited(facts)) return [];
  const policies = [...quotasOf(facts.limited[0]!).keys()];
  const covers = (answer: HttpAnswer) => policies.every((name) => quotasOf(answer).has(name));
  const evading = facts.spellings.filter(({ answer }) => isServed(answer) && !covers(answer));
  const passing = facts.spellings.filter(
    ({ answer, control }) =>
      isServed(answer) && covers(answer) && control !== undefined && !covers(control.answer),
  );
  const hostile = facts.hostile.filter(({ answer }) => isServed(answer));
  const pathsOf = (probes: typeof evading) => probes.map(({ path }) => path).join(" ");
  return [
    ...(evading.length > 0 ? [evades(pathsOf(evading), facts.path)] : []),
    ...(passing.length > 0 ? [passes(pathsOf(passing), facts.path)] : []),
    ...(hostile.length > 0 ? [rewrites(pathsOf(hostile))] : []),
  ];
}

function evades(paths: string, path: string): Finding {
  return {
    id: "path-evades",
    severity: "error",
    title: "Another spelling of the path is not limited",
    evidence: `${paths} is answered, without the policies of ${path}`,
    remedy:
      "What is in front picks its target by the path as sent: send every path to the gateway, which refuses what can be read in two ways.",
  };
}

function passes(paths: string, path: string): Finding {
  return {
    id: "ambiguous-paths-pass",
    severity: "note",
    title: "Paths that can be read in two ways reach the origin",
    evidence: `${paths} is answered, under the policies of ${path}`,
    remedy:
      'All rules that may be meant count it, so no limit is evaded. Leave AMBIGUOUS_PATHS at "refuse" unless clients need such paths.',
  };
}

function rewrites(paths: string): Finding {
  return {
    id: "hostile-paths-pass",
    severity: "warning",
    title: "Paths that the gateway refuses are answered",
    evidence: `${paths} is answered, instead of 400`,
    remedy:
      "What is in front rewrites paths, or passes the gateway by: the rules then see other paths than clients send. Pass paths on unchanged.",
  };
}
