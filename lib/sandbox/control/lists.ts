import { ControlProblem } from './control-problem.js';

/**
 * The entries that fit the filters; with `limit`, the newest of them.
 *
 * @throws ControlProblem if `limit` is not a positive integer.
 */
export function listed<Entry extends object>(
  entries: readonly Entry[],
  query: ReadonlyMap<string, string>,
): { readonly items: readonly Entry[] } {
  const filters = [...query].filter(([name]) => name !== 'limit');
  const items = entries.filter((entry) =>
    filters.every(([name, wanted]) => String((entry as Record<string, unknown>)[name]) === wanted),
  );
  return { items: items.slice(-limitOf(query.get('limit'))) };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ControlProblem(400, 'BAD_LIMIT', '`limit` must be a whole number from 1 on: write limit=50.');
}
