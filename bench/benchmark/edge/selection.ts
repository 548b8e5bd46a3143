import { readPath, type Readings } from "../../../src/gateway/rules/path.ts";
import { compileSelection } from "../../../src/gateway/rules/select-rules.ts";
import { Steps } from "../../../src/gateway/rules/steps.ts";
import { selectOneByOne } from "../../../test/gateway/route-model.ts";
import { compare, interleave } from "../compare.ts";
import type { Figure, Scale } from "../figure.ts";

const SIZES = [10, 100, 1_000, 5_000];

/** The gateway's cost of finding the rules of a request, by their number: the compiled router, and a loop over all rules. */
export async function selectionFigures({ short }: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of SIZES) {
    const rules = Array.from({ length: size }, (_, i) => ({
      route: { methods: ["GET"], path: patternOf(i) },
    }));
    const requests = Array.from({ length: 100 }, (_, i) => pathOf((i * 37) % size));
    const calls = short ? 100 : Math.round(2_000_000 / (size + 20));
    const selections = [compileSelection(rules, "refuse"), selectOneByOne(rules, "refuse")];
    const measures = selections.map((select) => async () => {
      const request = new Request("https://gateway.example");
      const before = process.cpuUsage();
      for (let call = 0; call < calls; call++) {
        const steps = new Steps();
        const readings = readPath(requests[call % 100]!, steps) as Readings;
        select(readings, { request, steps });
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / calls;
    });
    for (const measure of measures) await measure();
    const [router, loop] = await interleave(measures, short ? 2 : 11);
    figures.push({
      name: `rules of a request found among ${size}: CPU`,
      unit: "us",
      ...compare(router!, "a loop over all rules", loop!),
      detail: true,
    });
  }
  return figures;
}

/** As in a large API: mostly paths with a name in them, some for all below a path, a few with wildcards. */
function patternOf(index: number): string {
  if (index % 100 === 99) return `/**/hook${index}`;
  if (index % 20 === 18) return `/files${index}/report*.pdf`;
  if (index % 10 === 7) return `/area${index}/*`;
  return `/api/v${index % 3}/things${index}/:id`;
}

function pathOf(index: number): string {
  return patternOf(index)
    .replace("**", "a/b")
    .replace("report*", "report1")
    .replace(/:id|\*$/, "42");
}
