import { type StorageMode } from './plan.js';

/** A fault that is put into the package for a run, and what must be found of it. */
export interface Plant {
  readonly name: string;
  readonly mode: StorageMode;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly found: RegExp;
}

/** A checker that finds nothing in these proves nothing. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'a COMMIT without the record of the claim',
    mode: 'postgres',
    file: 'lib/storage/postgres/delivery-transaction.ts',
    from: "UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment",
    to: "UPDATE ${inbox} SET state = 'running' FROM moment",
    found: /was finished by a claim that did not hold/,
  },
  {
    name: 'handlers beside the transaction of their delivery',
    mode: 'typeorm-injected',
    file: 'lib/storage/sql/transactional-claim.ts',
    from: 'return session.within ? session.within(handlers) : handlers();',
    to: 'return handlers();',
    found: /success has \d effects/,
  },
  {
    name: 'a finish without the fence',
    mode: 'postgres-plain',
    file: 'lib/storage/postgres/inbox-statements.ts',
    from: "FROM moment WHERE ${CLAIMED} AND state IN ('running', 'done')`",
    to: "FROM moment WHERE ${KEY} AND $5 <> '' AND state IN ('running', 'done')`",
    found: /was finished by a claim that did not hold/,
  },
  {
    name: 'a claim that does not wait for the lease',
    mode: 'redis',
    file: 'lib/storage/redis/inbox-scripts.ts',
    from: "if entry.state == 'running' and entry.lease > now and entry.token ~= token then",
    to: "if entry.state == 'running' and entry.lease > now + 1000 and entry.token ~= token then",
    found: /was claimed while another claim held/,
  },
  {
    name: 'a handler that is not remembered',
    mode: 'redis',
    file: 'lib/storage/redis/inbox-scripts.ts',
    from: 'table.insert(entry.finished, ARGV[3])',
    to: '',
    found: /is remembered, which the storage does not know/,
  },
];

/** What of a file is put in place of what; other files stay as they are. */
export function edit({ file, from, to }: Plant): (path: string, source: string) => string {
  return (path, source) => {
    if (path !== file) return source;
    if (source.split(from).length !== 2) throw new Error(`${file} no longer holds, once: ${from}`);
    return source.replace(from, () => to);
  };
}
