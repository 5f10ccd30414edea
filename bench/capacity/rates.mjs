// What one payment and one webhook take. Measured on 2026-11-27 with measure.mjs, in two runs of three rounds: Node v20.20.2 and
// PostgreSQL 15.20 on one machine of 2 cores (AMD EPYC), on which nothing else ran. Update all of it together, and then
// docs/capacity.md with tables.mjs.

/** Server: CPU ms of a statement beyond `groupMs`, from the runs with 64 at once. */
const writeOfPayment = { serverMs: 0.135, writes: true };
const writeOfWebhook = { serverMs: 0.081, writes: true };
const readOfWebhook = { serverMs: 0.081, writes: false };

export const RATES = {
  server: {
    /**
     * CPU ms of a round trip with its commit, beside its statements. Two unknowns from two runs: alone, 3 statements of a payment take
     * 0.66 ms in 2.14 commits, and with 64 at once 0.47 ms in 0.67; a webhook's 6 take 0.86 ms in 6.88 and 0.59 ms in
     * 1.17. That gives 0.13 and 0.05: this lies between.
     */
    groupMs: 0.09,
    /** Wall-clock ms of `SELECT 1`, p50. Beside the server; over a network it is more. */
    roundTripMs: 0.15,
    /**
     * Wall-clock ms of a small commit beyond that, p50. Assumed: this machine's disk took 0.1 ms in the two runs, and 2.0 and 3.7 ms
     * in two others on the same day, under other load.
     */
    flushMs: 3,
  },
  payment: {
    /** CPU ms of the process with 64 at once: 0.42 to 0.61. One at once 1.4. */
    processMs: 0.51,
    /** The statements before the request to the gateway, while it is under way, and after its answer: counted. */
    statements: { before: [writeOfPayment], beside: [writeOfPayment], after: [writeOfPayment] },
  },
  webhook: {
    /** CPU ms of the process on Express with 64 at once: 0.85 to 1.12. One at once 2.0. */
    processMs: 0.96,
    /** In their order: counted. */
    statements: [
      readOfWebhook,
      writeOfWebhook,
      readOfWebhook,
      writeOfWebhook,
      writeOfWebhook,
      writeOfWebhook,
    ],
  },
  /** Of one payment and its webhook: CPU ms 0.041 and 0.045, bytes of WAL 630 and 700. */
  purge: { serverMs: 0.043, walBytes: 670 },
  bytes: {
    /** Journal and inbox with their indexes, after a VACUUM: 2,990 to 4,720 in six rounds. */
    stored: 3_300,
    /** After the purge, with its indexes. */
    tombstone: 185,
    /** Records of 1 kB, requests with names and phone numbers; pages after checkpoints included. */
    walOfPayment: 4_700,
    walOfWebhook: 3_800,
  },
};
