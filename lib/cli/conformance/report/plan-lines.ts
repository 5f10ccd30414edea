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
  { questions, requests, cost }: RunPlan,
  gateway: string | undefined,
  paint: Paint,
): readonly string[] {
  const head = line('question', 'requests', 'money in', 'money out');
  const rows = questions.map(({ question, steps, cost: own, leftOut }) => {
    if (leftOut !== undefined)
      return paint('dim', `${question.name.padEnd(NAME_WIDTH)} not asked: ${leftOut}`);
    const most = (side: 'inCents' | 'outCents'): string => (own[side] === 0 ? '' : amountOf(own[side]));
    return line(question.name, String(steps.length), most('inCents'), most('outCents'));
  });
  return [
    paint('bold', head),
    ...rows,
    '',
    `${requests.length} requests at most, with at most TZS ${amountOf(cost.inCents)} in and TZS ${amountOf(cost.outCents)} out, plus the gateway's fees of up to ${cost.collections} collections and ${cost.payouts} payouts. Nothing was sent.`,
    ...(requests.length > 0 && questions.some(({ steps }) => steps.some(({ notBeforeMs }) => notBeforeMs))
      ? ['The run says when to run the same command again for what is asked later.']
      : []),
    ...(gateway === undefined ? [] : [`The run would ask ${gateway}.`]),
  ];
}

/** The same for a program, as one document. */
export function planDocument({ questions, requests, cost }: RunPlan, gateway: string | undefined): object {
  const most = ({ inCents, outCents }: RunPlan['cost']): object => ({
    moneyIn: amountOf(inCents),
    moneyOut: amountOf(outCents),
  });
  return {
    questions: questions.map(({ question: { name }, steps, cost: own, leftOut }) => ({
      question: name,
      requests: steps.length,
      ...most(own),
      leftOut,
    })),
    requests: requests.length,
    ...most(cost),
    collections: cost.collections,
    payouts: cost.payouts,
    gateway,
  };
}

function amountOf(cents: number): string {
  return formatCents(BigInt(cents));
}

function line(name: string, ...numbers: readonly string[]): string {
  return [name.padEnd(NAME_WIDTH), ...numbers.map((number) => number.padStart(NUMBER_WIDTH))]
    .join(' ')
    .trimEnd();
}
