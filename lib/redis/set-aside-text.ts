import { type InboxConflict, type InboxScope, type SetAsideDelivery } from '../common/storage-port.js';

/** What is kept as JSON; the scope is in the key. */
type StoredDelivery = Omit<SetAsideDelivery, keyof InboxScope>;

export function setAsideId({ kind, fingerprint }: SetAsideDelivery): string {
  return `${kind}.${fingerprint}`;
}

export function setAsideText({ kind, event, reference, fingerprint, payload }: SetAsideDelivery): string {
  const stored: StoredDelivery = { kind, event, reference, fingerprint, payload };
  return JSON.stringify(stored);
}

/** Reads ids and `<first seen, in µs> <how often> <JSON>` in turn; the oldest first. */
export function setAsideEntries(
  { account, environment }: InboxScope,
  listed: readonly string[],
): readonly InboxConflict[] {
  return listed
    .flatMap((id, index) => (index % 2 === 0 ? [read(id, listed[index + 1] ?? '')] : []))
    .sort((one, other) => one.firstMicros - other.firstMicros)
    .map(({ firstMicros, ...rest }) => ({
      account,
      environment,
      ...rest,
      firstSeenAt: Math.floor(firstMicros / 1_000),
    }));
}

function read(
  id: string,
  text: string,
): StoredDelivery & Pick<InboxConflict, 'id' | 'seen'> & { readonly firstMicros: number } {
  const [, first, seen, json = ''] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
  return { ...(JSON.parse(json) as StoredDelivery), id, seen: Number(seen), firstMicros: Number(first) };
}
