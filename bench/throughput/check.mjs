const SCOPE = { account: 'default', environment: 'sandbox' };

/** @throws Error if a replay left something else than the package does: then it would be no floor. */
export async function checkPayment({ journal }, reference, state) {
  const stored = await journal.get({ ...SCOPE, family: 'collection', reference });
  if (stored?.record.state !== state) {
    throw new Error(`The replay left the payment ${stored?.record.state ?? 'unwritten'} and not ${state}.`);
  }
}

/** The same for the entry of a webhook. */
export async function checkInbox({ inbox }, reference) {
  const key = { ...SCOPE, kind: 'outcome', reference };
  const { result } = await inbox.claim(
    { key, event: 'payment.success', fingerprint: '-', replaces: [] },
    1_000,
  );
  if (result !== 'conflict') throw new Error(`The replay left the webhook unfinished: ${result}.`);
}
