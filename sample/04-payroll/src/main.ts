import { existsSync } from 'node:fs';
import { Screen } from './console/screen.js';
import { runPayroll } from './payroll.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await runPayroll(process.argv.slice(2), new Screen(process.stdout, process.stderr));
