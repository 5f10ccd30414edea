import { type AskedEnding } from '../webhooks/webhooks-heard.js';
import { silent } from './finding.js';
import { type Question } from './question.js';
import { collection } from './requests.js';
import { isAccepted } from './step-answer.js';

/** A payment that a person ends on a phone, so that its webhook can be heard. */
export interface PersonQuestion extends Question {
  readonly ending: AskedEnding;
  /** What the person does, as a command. */
  readonly does: string;
}

/** As many as the rule of the answers to webhooks has rows, with each of the four ends. */
export const PERSON_QUESTIONS: readonly PersonQuestion[] = [
  payment('approved payment', 'approve', 'Approve the payment on the phone.'),
  payment('other approved payment', 'approve', 'Approve this payment, too.'),
  payment('declined payment', 'decline', 'Decline the payment on the phone, or enter a wrong PIN.'),
  payment('cancelled payment', 'cancel', 'Cancel the payment on the phone.'),
  payment('expired payment', 'expire', 'Leave the payment on the phone alone until it expires.'),
];

function payment(name: string, ending: AskedEnding, does: string): PersonQuestion {
  return {
    name,
    ending,
    does,
    point: 'who decides',
    asks: 'Which webhook follows when a person ends the payment?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs)],
    // What it shows is in its webhook.
    concludes: ([answer]) => (isAccepted(answer) ? [] : silent('the payment was not accepted')),
  };
}
