import { arrow, box, drawing, label } from './svg.mjs';

export default drawing({
  title: 'Application, package, gateway and emulator',
  description:
    'Your application calls the services of nestjs-payments. The package writes each payment into the journal in your database, then sends it to the gateway over HTTPS. The gateway asks the customer and sends a signed webhook to a route of your application; the package checks it, claims it in the inbox, and runs your handler. On your machine the emulator takes the place of the gateway.',
  width: 760,
  height: 372,
  parts: [
    box({
      x: 20,
      y: 40,
      width: 190,
      height: 176,
      lines: ['Your application', 'a controller that collects', 'a job that pays out', '@OnPayment handlers'],
    }),
    box({
      x: 300,
      y: 40,
      width: 190,
      height: 176,
      kind: 'good',
      lines: ['nestjs-payments', 'services', 'journal', 'webhook route, inbox'],
    }),
    box({ x: 300, y: 296, width: 190, height: 60, lines: ['Storage', 'your database, or Redis'] }),
    box({ x: 590, y: 40, width: 150, height: 72, lines: ['Gateway', 'asks the customer'] }),
    box({ x: 590, y: 144, width: 150, height: 72, kind: 'open', lines: ['Emulator', 'on your machine'] }),
    arrow([
      [210, 84],
      [298, 84],
    ]),
    label(254, 76, 'calls'),
    arrow([
      [300, 176],
      [212, 176],
    ]),
    label(256, 168, 'outcome'),
    arrow([
      [490, 64],
      [588, 64],
    ]),
    label(539, 56, 'HTTPS'),
    arrow([
      [590, 96],
      [492, 96],
    ]),
    label(541, 114, 'webhook'),
    arrow(
      [
        [490, 164],
        [588, 164],
      ],
      { dashed: true },
    ),
    arrow(
      [
        [590, 196],
        [492, 196],
      ],
      { dashed: true },
    ),
    label(540, 184, 'the same'),
    arrow(
      [
        [395, 216],
        [395, 294],
      ],
      { both: true },
    ),
    label(395, 250, 'each payment, before it is sent;\neach outcome, once'),
  ],
});
