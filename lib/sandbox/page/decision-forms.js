// What the operator decides about one payment or payout, with a reason.
import { decide } from './control.js';
import { busily, button, make } from './dom.js';
import { field, filled, problemLine, worded } from './fields.js';
import { text } from './words.js';

const ACTIONS = {
  payments: ['approve', 'decline', 'cancel', 'expire'],
  payouts: ['pay', 'fail', 'cancel'],
};
/** What a customer's bank or network says. */
const REASONS = ['reason.money', 'reason.pin', 'reason.limit', 'reason.unreachable'];
const WITH_REASON = ['decline', 'fail', 'cancel'];

/** The buttons for an open record; nothing for one that has ended. */
export function decisionsOf(tab, record) {
  if (record.settled_at !== null) return [];
  const problem = problemLine();
  const suggestions = make(
    'datalist',
    { id: 'reasons' },
    ...REASONS.map((key) => make('option', { value: text(key) })),
  );
  const line = field('decision-reason', 'reason', { list: 'reasons', maxlength: '200' });
  const choices = make('p', { class: 'choice' });
  for (const action of ACTIONS[tab]) {
    const press = () =>
      busily(choices, problem, () => {
        const reason = line.querySelector('input').value;
        return decide(tab, record, action, WITH_REASON.includes(action) ? filled({ reason }) : {});
      });
    const strong = action === 'approve' || action === 'pay';
    const made = button('', press, { class: strong ? 'strong' : 'quiet' });
    made.append(worded('span', action), make('span', { class: 'unseen' }, ` ${record.reference}`));
    choices.append(made);
  }
  return [make('div', { class: 'form' }, line, suggestions), choices, problem];
}
