import { type InboxConflict, type InboxScope, type SetAsideDelivery } from '../common/storage-port.js';

/** What is kept as JSON; the scope is in the key. */
type StoredDelivery = Omit<SetAsideDelivery, keyof InboxScope>;

/** Where a delivery stands among what is set aside. */
export function setAsideField({ kind, fingerprint }: Pick<SetAsideDelivery, 'kind' | 'fingerprint'>): string {
  return `${kind}.${fingerprint}`;
}

export function setAsideText({ kind, event, reference, fingerprint, payload }: SetAsideDelivery): string {
  const stored: StoredDelivery = { kind, event, reference, fingerprint, payload };
  return JSON.stringify(stored);
}

/** Reads `<first seen, in µs> <how often> <JSON>`. The id is `<first seen>.<field>`. */
export function setAsideEntry({ account, environment }: InboxScope, text: string): InboxConflict {
  const [, first = '', seen, json = ''] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
  const delivery = JSON.parse(json) as StoredDelivery;
  return {
    account,
    environment,
    ...delivery,
    id: `${first}.${setAsideField(delivery)}`,
    seen: Number(seen),
    firstSeenAt: Math.floor(Number(first) / 1_000),
  };
}

/** The field in an id. */
export function fieldIn(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}
