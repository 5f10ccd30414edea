// A replica whose handler makes its effects with the client of `pg` that the delivery's transaction is open on.
import { type PoolClient } from 'pg';
import { startReplica } from './replica-application.js';

const INSERT = 'INSERT INTO effects (reference, outcome) VALUES ($1, $2)';

await startReplica(() => ({
  makeEffect: (reference, outcome, transaction) =>
    (transaction as PoolClient).query(INSERT, [reference, outcome]),
}));
