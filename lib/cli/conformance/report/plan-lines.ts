import { formatCents } from '../../../common/money.js';
import { type Paint } from '../../terminal.js';
import { type RunPlan } from '../run/plan.js';

const NAME_WIDTH = 44;
const NUMBER_WIDTH = 10;

/**
 * What a run would ask, one question a line, and what it could cost at most.
 *
 * @param gateway Whom it would ask; undefined: that is not known yet.
 */
export function planLines(
  { questions, requests, money }: RunPlan,
  gateway: string | undefined,
  paint: Paint,
): readonly string[] {
  const head = line('question', 'requests', 'money in', 'money out');
  const rows = questions.map(({ question, steps, leftOut }) => {
    const own = requests.filter((request) => request.question === question.name);
    if (leftOut !== undefined)
      return paint('dim', `${question.name.padEnd(NAME_WIDTH)} not asked: ${leftOut}`);
    const most = (side: 'inCents' | 'outCents'): string => {
      const cents = own.map((request) => request[side]);
      const sum = question.untilAccepted ? Math.max(...cents) : cents.reduce((total, one) => total + one, 0);
      return sum === 0 ? '' : formatCents(BigInt(sum));
    };
    return line(question.name, String(steps.length), most('inCents'), most('outCents'));
  });
  return [
    paint('bold', head),
    ...rows,
    '',
    `${requests.length} requests at most, with at most TZS ${formatCents(BigInt(money.inCents))} in and TZS ${formatCents(BigInt(money.outCents))} out. Nothing was sent.`,
    ...(gateway === undefined ? [] : [`The run would ask ${gateway}.`]),
  ];
}

function line(name: string, ...numbers: readonly string[]): string {
  return [name.padEnd(NAME_WIDTH), ...numbers.map((number) => number.padStart(NUMBER_WIDTH))]
    .join(' ')
    .trimEnd();
}
