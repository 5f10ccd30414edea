/**
 * What its customer may do about an order:
 * `pay` or `again`: ask this phone, or another one; `number`: another number is needed; `same`: ask this phone alone, since
 * the gateway did not clearly refuse; `wait`: like `same`, but not yet; `nothing`: money may be under way, or has come.
 */
export function actionOf({ state, reason, waitMs }) {
  if (state === 'placed') return 'pay';
  if (state !== 'failed') return 'nothing';
  if (reason === 'refused') return 'number';
  if (reason === 'limited') return waitMs > 0 ? 'wait' : 'same';
  return reason === 'unavailable' ? 'same' : 'again';
}
