import { sequence } from './sequence.mjs';

export default sequence({
  title: 'Two replicas, one webhook',
  description:
    'The gateway delivers payment.success of order-1 to replica A, which claims it with a lease of 60 s and gets fence 1. The gateway delivers it to replica B too, whose claim finds it claimed by another process. Replica A runs the handlers and finishes with fence 1. Replica B hears that it is finished. Both answer 200.',
  width: 760,
  lanes: ['Gateway', 'Replica A', 'Storage', 'Replica B'],
  steps: [
    [0, 1, 'payment.success'],
    [1, 2, 'claim, lease 60 s'],
    [2, 1, 'claimed, fence 1', 'answer'],
    [0, 3, 'payment.success, once more'],
    [3, 2, 'claim'],
    [2, 3, 'claimed elsewhere', 'answer'],
    [1, 1, 'handlers'],
    [1, 2, 'finish, fence 1'],
    [2, 3, 'finished', 'answer'],
    [1, 0, '200', 'answer'],
    [3, 0, '200', 'answer'],
  ],
});
