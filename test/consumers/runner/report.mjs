import { performance } from 'node:perf_hooks';

/** A step that failed has been reported already; the subject's later steps build on it. */
class StepFailed extends Error {}

/** Prints one line a step, and what went wrong only if something did. */
export class Report {
  passed = 0;
  failed = 0;

  /**
   * Runs the steps of one subject; the first that fails ends them.
   *
   * @returns whether all passed.
   */
  async steps(subject, run) {
    try {
      await run((name, check) => this.step(`${subject}: ${name}`, check));
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return false;
    }
    return true;
  }

  /** @returns the exit code. */
  finish() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 ? 0 : 1;
  }

  async step(name, check) {
    const start = performance.now();
    const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
      await check();
    } catch (error) {
      this.failed += 1;
      console.log(`✗ ${name} (${seconds()})\n${indented(error)}`);
      throw new StepFailed(name);
    }
    this.passed += 1;
    console.log(`✓ ${name} (${seconds()})`);
  }
}

function indented(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.trimEnd().replaceAll(/^/gm, '    ');
}
