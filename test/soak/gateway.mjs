// The emulator in a process of its own, so that only the merchant's memory is measured. Every fifth request or so is
// spoiled. Tells its parent where it is, and what is in its books when it is asked.
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const [share, seed] = process.argv.slice(2).map(Number);
const FAULTS = [
  (next) => next.dropBefore(),
  (next) => next.dropAfterProcessing(),
  (next) => next.malformedJson(),
  (next) => next.hang(),
  (next) => next.html(502),
  (next) => next.status(429, { retryAfter: 0 }),
  (next) => next.status(503),
  (next) => next.status(400, { code: 'INVALID_REQUEST' }),
  (next) => next.status(401),
];

const random = randomFrom(seed);
const sandbox = await PaymentsSandbox.start({ seed, startingBalance: '900000000000' });
let requests = 0;
let faults = 0;
sandbox.on('exchange', ({ request }) => {
  requests += 1;
  if (request.fault !== null) faults += 1;
  if (random() >= share) return;
  const spoil = FAULTS[Math.floor(random() * FAULTS.length)];
  spoil(sandbox.next(`${request.method} ${request.path.replace('/api/v1', '')}`));
});

process.on('message', () => {
  const references = [...sandbox.payments(), ...sandbox.payouts()].map(({ reference }) => reference);
  process.send({ requests, faults, references }, () => process.exit());
});
process.on('disconnect', () => process.exit());
process.send(sandbox.baseUrl);

/** Mulberry32: the same seed gives the same faults. */
function randomFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
