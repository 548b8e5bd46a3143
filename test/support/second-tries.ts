import type { Reporter, TestCase } from "vitest/node";

/** Names the tests that failed at first and passed when they were tried again, with their failures. */
export class SecondTries implements Reporter {
  readonly #found: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) {
      const failures = (test.result().errors ?? []).map(({ message }) => `\n    ${message}`);
      this.#found.push(`${test.module.relativeModuleId} > ${test.fullName}${failures.join("")}`);
    }
  }

  onTestRunEnd(): void {
    if (this.#found.length === 0) return;
    console.error(`\nPassed only when tried again, look into each:\n  ${this.#found.join("\n  ")}`);
  }
}
