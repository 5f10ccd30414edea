import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type PathStep, type WorldProblem } from './form.js';

/** More are left out: one mistake often causes many. */
const SHOWN = 10;

/**
 * A world that no emulator can begin with.
 *
 * @internal
 */
export class WorldError extends PaymentsConfigError {
  /** @param place Says where a problem is, before its path. */
  constructor(
    readonly problems: readonly WorldProblem[],
    place: (problem: WorldProblem) => string = () => '',
  ) {
    const lines = problems.slice(0, SHOWN).map((problem) => `${place(problem)}${sentenceOf(problem)}`);
    const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more problems.`] : [];
    super([...lines, ...more].join('\n'));
  }
}

function sentenceOf({ path, message }: WorldProblem): string {
  const text = path.length === 0 ? 'The world' : pathText(path);
  return `${text} ${/[.?]$/.test(message) ? message : `${message}.`}`;
}

/** `merchants.demo.payments[0].status` */
export function pathText(path: readonly PathStep[]): string {
  return path
    .map((step) => {
      if (typeof step === 'string') return `.${step}`;
      return `[${typeof step === 'number' ? step : step.position}]`;
    })
    .join('')
    .replace(/^\./, '');
}
