import type { Mutant, Result } from "./mutant.ts";
import type { Sandbox } from "./sandbox.ts";

/** Tries mutants, one at a time in each sandbox, and says each result as soon as it is known. */
export async function tryAll(
  mutants: readonly Mutant[],
  sandboxes: readonly Sandbox[],
  tell: (result: Result) => void,
): Promise<void> {
  const left = [...mutants];
  async function work(sandbox: Sandbox): Promise<void> {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const start = performance.now();
      const result = await sandbox.try(mutant);
      tell({ mutant, ...result, seconds: Math.round((performance.now() - start) / 100) / 10 });
    }
  }
  await Promise.all(sandboxes.map(work));
}
