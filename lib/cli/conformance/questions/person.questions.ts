import { formatCents } from '../../../common/money.js';
import { type AskedEnding } from '../webhooks/webhooks-heard.js';
import { silent } from './finding.js';
import { type Question, type QuestionInputs } from './question.js';
import { amountOf, collection } from './requests.js';
import { isAccepted } from './step-answer.js';

/** A payment that a person ends on a phone, so that its webhook can be heard. */
interface PersonQuestion extends Question {
  readonly ending: AskedEnding;
  /** What the person does, as a command that names the amount. */
  readonly does: (inputs: QuestionInputs) => string;
}

/** A phone shows its requests by amount, and some show whole shillings alone. */
const STEP_CENTS = 100;

/** As many as the rule of the answers to webhooks has rows, with each of the four ends. */
export const PERSON_QUESTIONS: readonly PersonQuestion[] = [
  payment('approved payment', 'approve', 1, (request) => `Approve ${request} on the phone.`),
  payment('other approved payment', 'approve', 2, (request) => `Approve ${request} on the phone, too.`),
  payment(
    'declined payment',
    'decline',
    3,
    (request) => `Decline ${request} on the phone, or enter a wrong PIN.`,
  ),
  payment('cancelled payment', 'cancel', 4, (request) => `Cancel ${request} on the phone.`),
  payment(
    'expired payment',
    'expire',
    5,
    (request) => `Leave ${request} on the phone alone until it expires.`,
  ),
];

/** @param place Its amount is so many whole shillings above that of the other payments. */
function payment(
  name: string,
  ending: AskedEnding,
  place: number,
  does: (request: string) => string,
): PersonQuestion {
  const centsOf = ({ amountCents }: QuestionInputs): number => amountCents + place * STEP_CENTS;
  return {
    name,
    ending,
    does: (inputs) => {
      const others = `Leave all other requests alone, such as those of TZS ${formatCents(BigInt(inputs.amountCents))}.`;
      return `${does(`the newest request, of TZS ${formatCents(BigInt(centsOf(inputs)))},`)} ${others}`;
    },
    point: 'who decides',
    asks: 'Which webhook follows when a person ends the payment?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs, { amount: amountOf(centsOf(inputs)) })],
    // What it shows is in its webhook.
    concludes: ([answer]) => (isAccepted(answer) ? [] : silent('the payment was not accepted')),
  };
}
