const LEASE_MS = 60_000;
const SCOPE = { account: 'default', environment: 'sandbox' };

/** A webhook is claimed and finished. */
export async function handleWebhook({ inbox }, reference) {
  const key = { ...SCOPE, kind: 'outcome', reference };
  const { claim } = await inbox.claim(
    { key, event: 'payment.success', fingerprint: `f-${reference}`, replaces: [] },
    LEASE_MS,
  );
  if (!(await claim.finish())) throw new Error(`The claim of ${reference} was lost.`);
}

/** A payment is written down and answered. */
export async function writePayment({ journal }, reference) {
  const key = { ...SCOPE, family: 'collection', reference };
  const record = {
    ...key,
    operation: 'collection.mobile-money',
    amount: '1180.50',
    currency: 'TZS',
    attempt: 1,
    idempotencyKey: `k-${reference}`,
    intent: `i-${reference}`,
    bodyHash: `1:${reference}`,
    state: 'in-flight',
  };
  const intent = { ...record, body: '{"amount":1180.5}', probe: 'after-silence' };
  const { stored } = await journal.insert(intent, LEASE_MS);
  const answered = { ...record, state: 'accepted', answer: '{"status":"pending"}' };
  await journal.replace(stored.version, answered, 0);
}
