// Kills and stops replicas of an application, and breaks their network, while they receive webhooks, and checks the result.
// `--storage postgres|postgres-plain|typeorm|typeorm-injected|prisma-injected|redis|bullmq` (again for more than one), `--events`, `--kills`, `--stops`, `--faults`, `--seed`.
// `--calls <payments>` kills replicas that make payments instead, and `--lines <lines>` those that pay a batch, with `--kills`,
// `--replicas` and `--restarts` of PostgreSQL and Redis. `--plants` breaks the package on purpose, and fails if no fault is found;
// `--only` takes a part of a fault's name.
import { runBundled } from '../support/run-bundled.mjs';

await runBundled('test/kill/main.ts');
