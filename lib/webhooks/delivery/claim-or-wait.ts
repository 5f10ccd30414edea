import { type ClaimResult, type InboxDelivery, type InboxStore } from '../../common/storage-port.js';

/** Claims a delivery; where it is being handled already, waits a little for that to end. */
export async function claimOrWait(
  inbox: InboxStore,
  delivery: InboxDelivery,
  { leaseMs, inFlightWaitMs }: { readonly leaseMs: number; readonly inFlightWaitMs: number },
): Promise<ClaimResult> {
  const giveUpAt = performance.now() + inFlightWaitMs;
  for (;;) {
    const result = await inbox.claim(delivery, leaseMs);
    const leftMs = giveUpAt - performance.now();
    if (result.result !== 'busy' || leftMs <= 0) return result;
    await inbox.waitForRelease(delivery.key, leftMs);
  }
}
