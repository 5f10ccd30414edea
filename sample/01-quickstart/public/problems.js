/** How the shop answers a refusal of the gateway. */
const REFUSED = [402, 422];
/** How the shop answers somebody who does not know the password of the office. */
const CLOSED = [401, 403];

/** A page that is loaded again makes another order: the one before may still be paid. */
const ORDERS = 'orders';

/**
 * What a page says about an answer of the shop, as keys of texts. It says that nothing was paid only after a refusal that
 * proves it.
 */
export function problemsOf(path, status, { fields, code, mayHaveBeenProcessed, final }) {
  if (fields) return fields.map((field) => `wrong.${field}`);
  if (path.startsWith('office/') && CLOSED.includes(status)) return ['problem.closed'];
  if (mayHaveBeenProcessed !== false || final === false) return ['problem.unsure'];
  if (!REFUSED.includes(status)) return [path === ORDERS ? 'problem.unsure' : 'problem.later'];
  return [code === 'INSUFFICIENT_BALANCE' ? 'problem.INSUFFICIENT_BALANCE' : 'problem.nothing'];
}
