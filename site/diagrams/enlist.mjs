import { sequence } from './sequence.mjs';

export default sequence({
  title: 'A payment that commits with your rows',
  description:
    'Your application begins a transaction, writes its row, and enlists the payment, which is written as planned in the same transaction. After the commit, send() sends the payment to the gateway with its key, and the answer is recorded. A rollback would have left neither the row nor the payment, and nothing would have been sent. If the process dies after the commit, recover() sends it.',
  lanes: ['Your application', 'Your database', 'Gateway'],
  steps: [
    [0, 1, 'BEGIN, your row'],
    [0, 1, 'enlist…: the payment, planned'],
    [0, 1, 'COMMIT: both, or neither'],
    [0, 1, 'send(): in flight'],
    [0, 2, 'the payment, with its key, once'],
    [2, 0, 'accepted', 'answer'],
    [0, 1, 'accepted'],
  ],
});
