/** What the states of batches and lines are called, in the order of the bar. */
export const WORDS = {
  loaded: 'loaded',
  checking: 'being checked',
  approved: 'approved',
  running: 'being paid',
  paused: 'pauses',
  ended: 'ended',
  cancelled: 'cancelled',
  accepted: 'accepted by the gateway',
  paid: 'paid',
  sending: 'being sent',
  checked: 'checked',
  waiting: 'not checked',
  unknown: 'unknown',
  blocked: 'blocked',
  refused: 'refused',
  failed: 'failed',
};

/** What stands in the audit trail. */
export const ACTIONS = {
  create: 'began to load it',
  load: 'loaded it',
  check: 'began the check',
  'check-end': 'ended the check',
  'check-stop': 'stopped the check',
  accept: 'accepted blocked lines',
  'approve-in-part': 'approved it; another person has to, too',
  approve: 'approved it',
  start: 'started it',
  pause: 'paused it',
  resume: 'resumed it',
  cancel: 'cancelled it',
  settle: 'settled a line',
  end: 'ended it',
};

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `1550000.50` → `1,550,000.50 TZS`. An amount is a text: a number would round it. */
export const money = (amount) => `${grouped(amount.split('.')[0])}.${amount.split('.')[1]} TZS`;

export const count = (lines) => (lines === 1 ? '1 line' : `${grouped(String(lines))} lines`);

export function speed({ linesPerSecond, leftMs }) {
  if (linesPerSecond === undefined) return '';
  const minutes = Math.ceil(leftMs / 60_000);
  const left = minutes <= 1 ? 'less than a minute' : `about ${grouped(String(minutes))} minutes`;
  return `${linesPerSecond.toFixed(1)} lines a second, ${left} left`;
}
