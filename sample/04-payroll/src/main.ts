import { existsSync } from 'node:fs';
import { Screen } from './console/screen.js';
import { runPayroll } from './payroll.js';

if (existsSync('.env')) process.loadEnvFile('.env');
// A closed pipe or terminal must not end a run.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.exitCode = await runPayroll(process.argv.slice(2), new Screen(process.stdout, process.stderr));
