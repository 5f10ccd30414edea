import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleaved } from '../shared/rounds.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { median } from '../shared/statistics.mjs';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', 'boot', 'application.mjs');
const APPLICATION = 'application with HttpModule, class-validator, class-transformer';
const WITH_CONFIG = 'the same and @nestjs/config';
const WITH_AGENT = "the same, @nestjs/config and undici's agent";
const WITH_MODULE = 'the same and nestjs-payments';
const VARIANTS = [
  { name: APPLICATION, variant: 'alone' },
  { name: WITH_CONFIG, variant: 'config' },
  { name: WITH_AGENT, variant: 'agent' },
  { name: WITH_MODULE, variant: 'payments' },
];

/** Of each in a round. What else the machine does only adds to what a start takes, and by more than is to be measured. */
const PROCESSES = 4;

export const title = 'Boot';

export async function measure(size) {
  const processes = Math.ceil(PROCESSES * size.share);
  const samples = await interleaved(VARIANTS, size, ({ variant }) => leastOf(processes, variant));
  const part = (name) =>
    new Map([...samples].map(([key, values]) => [key, values.map((each) => each[name])]));
  const [cpu, wall, memory] = [part('cpuMs'), part('wallMs'), part('rssMb')];
  const beyond = (numbers, base) =>
    median(numbers.get(WITH_MODULE).map((value, round) => value - numbers.get(base)[round]));
  return {
    unit: 'ms of CPU from the start of the process until the application listens',
    rows: rowsOf(cpu, APPLICATION),
    goals: [
      atMost(`CPU over it with @nestjs/config`, beyond(cpu, WITH_CONFIG), 20, 'ms'),
      atMost(`memory over it with @nestjs/config`, beyond(memory, WITH_CONFIG), 4, 'MB'),
    ],
    remarks: [
      `Each round is the least of ${processes} processes.`,
      `Wall clock beyond the application ${beyond(wall, APPLICATION).toFixed(0)} ms (beyond it with @nestjs/config ${beyond(wall, WITH_CONFIG).toFixed(0)} ms); CPU beyond it ${beyond(cpu, APPLICATION).toFixed(0)} ms; memory beyond it ${beyond(memory, APPLICATION).toFixed(1)} MB.`,
      `Without undici's agent, CPU beyond it with @nestjs/config is ${beyond(cpu, WITH_AGENT).toFixed(1)} ms, memory ${beyond(memory, WITH_AGENT).toFixed(1)} MB.`,
    ],
  };
}

async function leastOf(processes, variant) {
  const boots = [];
  for (let index = 0; index < processes; index += 1) boots.push(await boot(variant));
  const least = (name) => Math.min(...boots.map((each) => each[name]));
  return { cpuMs: least('cpuMs'), wallMs: least('wallMs'), rssMb: least('rssMb') };
}

async function boot(variant) {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, variant]);
  return JSON.parse(stdout);
}
