import { arrow, box, drawing, label } from './svg.mjs';

const STATE = { width: 190, height: 62 };

export default drawing({
  title: 'The states of a payment',
  description:
    'A call writes the payment into the journal: in flight. A clear yes makes it accepted, a clear no refused, and anything else, or a crash, unknown. A probe with the same key and bytes may make an unknown payment accepted. A webhook, a status query or settle() settles an accepted or unknown payment. If the gateway contradicts settle(), it is unknown again. A refused payment that is called again is in flight with the next attempt. A payment enlisted in a transaction is planned after the commit; send(), a call or recover() sends it. If certainly nothing was sent, a planned payment stays planned, and any other leaves the journal.',
  width: 760,
  height: 450,
  parts: [
    box({ ...STATE, x: 20, y: 64, lines: ['planned', 'committed, not sent'] }),
    box({ ...STATE, x: 20, y: 216, lines: ['in flight', 'in the journal, being sent'] }),
    box({ ...STATE, x: 340, y: 64, kind: 'good', lines: ['accepted', 'the gateway has it'] }),
    box({ ...STATE, x: 340, y: 216, kind: 'open', lines: ['unknown', 'money may have moved'] }),
    box({ ...STATE, x: 340, y: 368, kind: 'bad', lines: ['refused', 'no money moved'] }),
    box({ ...STATE, x: 590, y: 64, width: 150, kind: 'good', lines: ['settled', 'success, failed, …'] }),
    arrow([
      [115, 20],
      [115, 62],
    ]),
    label(126, 40, 'enlist…, and your commit', 'start'),
    arrow([
      [60, 126],
      [60, 214],
    ]),
    label(68, 148, 'send(), a call,\nrecover()', 'start'),
    arrow([
      [186, 216],
      [186, 128],
    ]),
    label(178, 190, 'certainly\nnothing sent', 'end'),
    arrow([
      [70, 336],
      [70, 280],
    ]),
    label(70, 354, 'a call'),
    arrow([
      [196, 278],
      [196, 336],
    ]),
    label(186, 306, 'certainly\nnothing sent', 'end'),
    arrow([
      [210, 228],
      [234, 228],
      [234, 95],
      [338, 95],
    ]),
    label(286, 86, 'a clear yes'),
    arrow([
      [210, 247],
      [338, 247],
    ]),
    label(288, 222, 'anything else,\nor a crash'),
    arrow([
      [210, 266],
      [234, 266],
      [234, 390],
      [338, 390],
    ]),
    label(286, 381, 'a clear no'),
    arrow([
      [435, 216],
      [435, 128],
    ]),
    label(435, 168, 'the probe:\nsame key, same bytes'),
    arrow([
      [530, 95],
      [588, 95],
    ]),
    arrow([
      [530, 236],
      [640, 236],
      [640, 128],
    ]),
    label(632, 172, 'webhook, status\nquery, settle()'),
    arrow([
      [722, 126],
      [722, 262],
      [532, 262],
    ]),
    label(644, 282, 'the gateway contradicts settle()'),
    arrow([
      [340, 412],
      [40, 412],
      [40, 280],
    ]),
    label(180, 432, 'called again: the next attempt'),
  ],
});
