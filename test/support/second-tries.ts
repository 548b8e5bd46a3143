import type { Reporter, TestCase } from "vitest/node";

/** Names the tests that failed at first, and passed when they were tried again. */
export class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) {
      this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    }
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.error(`\nPassed at a second try only, look into each:\n  ${this.#names.join("\n  ")}`);
  }
}
