import { lot } from '../plan.js';

/** Where a replica may die while it pays a line. */
export const LINE_POINTS = ['after the claim of the journal', 'after the answer of the gateway'] as const;

/** Where a replica may die while it works on a chunk. */
export const CHUNK_POINTS = [
  'before the lines are marked',
  'after the lines were marked',
  'before the results are written',
  'after the results were written',
  'at the end of the chunk',
  'between two jobs',
] as const;

export type CrashPoint = (typeof LINE_POINTS)[number] | (typeof CHUNK_POINTS)[number];

/** A death that is planned: of the process that comes there first. */
export interface Crash {
  readonly kind: 'check' | 'pay';
  readonly point: CrashPoint;
  /** The number of the line, for a point of a line; else that of the chunk. */
  readonly at: number;
}

/** What a run is made of. */
export interface BatchSize {
  readonly lines: number;
  readonly kills: number;
  readonly replicas: number;
  /** How often PostgreSQL and Redis crash, in turn. */
  readonly restarts: number;
  readonly seed: string;
}

/** Lines of a chunk in `lib/batches`. */
export const CHUNK_LINES = 100;
/** What is planned at a line or chunk; the others die at random moments. */
const NAMED_SHARE = 0.6;
/** Points that a check passes, too. */
const CHECK_POINTS: readonly CrashPoint[] = CHUNK_POINTS.slice(2);
const POINTS: readonly CrashPoint[] = [...LINE_POINTS, ...CHUNK_POINTS];

/** The planned deaths; the same seed plans the same ones. */
export function crashesOf({ lines, kills, seed }: BatchSize): readonly Crash[] {
  const chunks = Math.ceil(lines / CHUNK_LINES);
  const places: readonly Pick<Crash, 'kind' | 'point'>[] = [
    ...POINTS.map((point) => ({ kind: 'pay', point }) as const),
    ...CHECK_POINTS.map((point) => ({ kind: 'check', point }) as const),
  ];
  const each = Math.ceil((kills * NAMED_SHARE) / places.length);
  return places.flatMap(({ kind, point }) => {
    const rank = (chunk: number): number => lot(seed, kind, point, chunk);
    const all = Array.from({ length: chunks }, (_, index) => index + 1);
    const struck = all.sort((one, other) => rank(one) - rank(other)).slice(0, each);
    const isOfLine = LINE_POINTS.some((one) => one === point);
    return struck.map((chunk) => ({ kind, point, at: isOfLine ? lineOf(seed, lines, chunk) : chunk }));
  });
}

/** A file of this name stands for a death that has not happened. */
export function fileOf({ kind, point, at }: Crash): string {
  return `${kind}-${POINTS.indexOf(point)}-${at}`;
}

function lineOf(seed: string, lines: number, chunk: number): number {
  const first = (chunk - 1) * CHUNK_LINES;
  return first + 1 + Math.floor(lot(seed, 'line', chunk) * Math.min(CHUNK_LINES, lines - first));
}
