import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { buildChildProgram } from '../support/child-program.js';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.js';
import { type Played } from './story-program.js';

/** A fifth of what `npm run test:model` plays: the rarest fault shows once in some 300. */
const STORIES = '1000';
const SEED = '7';
const WORKERS = 2;

/**
 * Plays the stories on the library as it is: they find nothing, and reach every kind. Then plants each fault, and plays them
 * until one finds it. Resolves to the exit code: 1 if one was not found.
 */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: STORIES },
      seed: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  });
  const faults = PLANTED_FAULTS.filter(({ name }) => name.includes(values.only));
  const waiting = [...(values.only === '' ? [undefined] : []), ...faults].values();
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (const fault of waiting) {
      const result = await play(fault, values.runs, values.seed ?? fault?.seed ?? SEED).catch(whyNot);
      const name = fault?.name ?? 'no fault';
      const isRight = typeof result !== 'string' && (fault ? isFound(result) : isClean(result));
      if (!isRight) failed.push(name);
      process.stdout.write(`${isRight ? '' : 'WRONG: '}${name}: ${tellResult(result)}\n`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  process.stdout.write(`${faults.length - failed.length} of ${faults.length} planted faults found\n`);
  return failed.length === 0 ? 0 : 1;
}

/** A crash of the broken code shows nothing: any fault that crashes would then prove a blind checker right. */
function isFound({ isViolation }: Played): boolean {
  return isViolation;
}

function isClean({ problem, missing }: Played): boolean {
  return problem === undefined && missing.length === 0;
}

function tellResult(result: Played | string): string {
  if (typeof result === 'string') return result;
  const { stories, problem, missing, cpuMs } = result;
  const unreached = missing.length > 0 ? `, and none reached: ${missing.join(', ')}` : '';
  const what =
    problem === undefined ? `nothing in ${stories} stories${unreached}` : `story ${stories}: ${problem}`;
  return `${what} (${(cpuMs / 1_000).toFixed(1)} s of CPU)`;
}

/** The bundler prints more than anyone wants to read. */
function whyNot(error: unknown): string {
  return /NOT PLANTED[^\n]*/.exec(String(error))?.[0] ?? String(error);
}

/** One build at a time: they share a process. */
let building: Promise<unknown> = Promise.resolve();

async function play(fault: PlantedFault | undefined, runs: string, seed: string): Promise<Played> {
  const built = building.then(() =>
    buildChildProgram('test/model/story-program.ts', {
      edit: (path, source) => (path === fault?.file ? planted(fault, source) : source),
    }),
  );
  building = built.catch(() => undefined);
  const program = await built;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program.file, runs, seed]);
    return JSON.parse(stdout) as Played;
  } finally {
    await program.remove();
  }
}

function planted({ find, write }: PlantedFault, source: string): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error('NOT PLANTED: its line is not in the file any more, or more than once');
  return parts.join(write);
}
