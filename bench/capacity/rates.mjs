// What one payment and one webhook take. Measured on 2026-11-27 with measure.mjs, in two runs of three rounds: Node v20.20.2 and
// PostgreSQL 15.20 on one machine of 2 cores (AMD EPYC), which other work kept busy (load 9 to 12): times of CPU are an upper
// bound. Counts and WAL do not depend on the load. Update all of it together, and then docs/capacity.md with tables.mjs.

/** Server: CPU ms of a statement beyond `groupMs`, from the runs with 64 at once. */
const writeOfPayment = { serverMs: 0.157, writes: true };
const writeOfWebhook = { serverMs: 0.08, writes: true };
const readOfWebhook = { serverMs: 0.08, writes: false };

export const RATES = {
  server: {
    /**
     * CPU ms of a round trip with its commit, beside its statements. Two unknowns from two runs: alone, 3 statements of a payment take
     * 1.99 ms in 3 commits, and with 64 at once 0.74 ms in 0.67; a webhook's 6 take 2.48 ms and 0.95 ms in 1.17. That
     * gives 0.54 and 0.32: this lies between.
     */
    groupMs: 0.4,
    /** Wall-clock ms of `SELECT 1`, p50. Beside the server; over a network it is more. */
    roundTripMs: 0.27,
    /** Wall-clock ms of a small commit beyond that, p50: 2.0 and 3.7 in the two runs. */
    flushMs: 3,
  },
  payment: {
    /** CPU ms of the process with 64 at once: 0.84 to 1.06. One at once, on this machine, 3.7. */
    processMs: 0.92,
    /** The statements before the request to the gateway, while it is under way, and after its answer: counted. */
    statements: { before: [writeOfPayment], beside: [writeOfPayment], after: [writeOfPayment] },
  },
  webhook: {
    /** CPU ms of the process on Express with 64 at once: 1.37 to 1.73. One at once 5.2. */
    processMs: 1.5,
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
  /** Of one payment and its webhook: CPU ms 0.067 and 0.075, bytes of WAL 632 and 930. */
  purge: { serverMs: 0.07, walBytes: 780 },
  bytes: {
    /** Journal and inbox with their indexes, after a VACUUM: 2,480 to 3,960 in four rounds. */
    stored: 3_000,
    /** After the purge, with its indexes. */
    tombstone: 185,
    /** Records of 1 kB, requests with names and phone numbers; pages after checkpoints included. */
    walOfPayment: 4_700,
    walOfWebhook: 3_800,
  },
};
