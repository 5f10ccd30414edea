import { sequence } from './sequence.mjs';

export default sequence({
  title: 'Two replicas, one payment',
  description:
    'Replica A inserts order-1 into the storage. Replica B inserts it too and hears that it is in flight in another process. Replica A sends it with the key of order-1. Replica B gives its caller PaymentOutcomeUnknownError, in-flight. The gateway accepts, and replica A writes that down. A later call of replica B gets the stored record.',
  width: 760,
  lanes: ['Replica A', 'Storage', 'Replica B', 'Gateway'],
  steps: [
    [0, 1, 'insert order-1'],
    [1, 0, 'inserted', 'answer'],
    [2, 1, 'insert order-1'],
    [1, 2, 'in flight elsewhere', 'answer'],
    [0, 3, 'POST, with the key of order-1'],
    [2, 2, 'PaymentOutcomeUnknownError, in-flight'],
    [3, 0, 'accepted', 'answer'],
    [0, 1, 'order-1 accepted'],
    [2, 2, 'a later call gets the stored record'],
  ],
});
