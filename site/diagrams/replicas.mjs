import { arrow, box, drawing, label } from './svg.mjs';

export default drawing({
  title: 'Replicas',
  description:
    'The gateway sends a webhook to the load balancer, maybe to several replicas. Each replica calls the gateway with the key of its payment. All replicas share the journal and the inbox in Redis or in a database. With BullMQ they also share a queue, from which workers take their work.',
  width: 760,
  height: 300,
  parts: [
    box({ x: 20, y: 110, width: 130, height: 60, lines: ['Gateway'] }),
    box({ x: 240, y: 110, width: 140, height: 60, lines: ['Load balancer'] }),
    box({ x: 440, y: 40, width: 120, height: 60, kind: 'good', lines: ['Replica A'] }),
    box({ x: 440, y: 180, width: 120, height: 60, kind: 'good', lines: ['Replica B'] }),
    box({ x: 610, y: 90, width: 130, height: 80, lines: ['Storage', 'journal', 'and inbox'] }),
    box({ x: 610, y: 220, width: 130, height: 60, kind: 'open', lines: ['Queue', 'with BullMQ'] }),
    arrow([
      [150, 140],
      [238, 140],
    ]),
    label(195, 132, 'webhook'),
    arrow([
      [380, 130],
      [410, 130],
      [410, 80],
      [438, 80],
    ]),
    arrow([
      [380, 150],
      [410, 150],
      [410, 200],
      [438, 200],
    ]),
    arrow([
      [440, 56],
      [85, 56],
      [85, 108],
    ]),
    arrow([
      [440, 226],
      [85, 226],
      [85, 172],
    ]),
    label(250, 48, 'calls, each with its own key'),
    label(250, 244, 'calls, each with its own key'),
    arrow(
      [
        [560, 70],
        [675, 70],
        [675, 88],
      ],
      { both: true },
    ),
    arrow(
      [
        [560, 196],
        [640, 196],
        [640, 172],
      ],
      { both: true },
    ),
    arrow(
      [
        [560, 228],
        [584, 228],
        [584, 250],
        [608, 250],
      ],
      { dashed: true },
    ),
  ],
});
