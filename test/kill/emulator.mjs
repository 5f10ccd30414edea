// Kills the emulator with SIGKILL at random moments while clients change it, and compares what each restart over its
// folder shows with what was answered. `--kills`, `--seed`.
import { runBundled } from '../support/run-bundled.mjs';

await runBundled('test/kill/emulator/main.ts', ['test/kill/emulator/emulator-process.ts']);
