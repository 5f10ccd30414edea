import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import pg from 'pg';
import { Recorder } from '../recorder.mjs';
import { idsOfRows } from './sql-ids.mjs';

/** Through the pool of `pg`. */
export async function openStorage({ url, poolSize, transactional = false }) {
  // Connections stay between two rounds: so does the CPU time of their processes.
  const pool = new pg.Pool({ connectionString: url, max: poolSize, idleTimeoutMillis: 0 });
  await migratePayments(pool);
  return {
    // As with a journal of more than a few payments, which `clear` takes away.
    storage: postgresStorage({ pool, transactional, preparedStatements: true }),
    record() {
      const recorder = new Recorder();
      const recorded = listening(new pg.Pool({ connectionString: url, max: 2 }), recorder);
      return {
        recorder,
        storage: postgresStorage({ pool: recorded, transactional }),
        close: () => recorded.end(),
      };
    },
    target: {
      async inside(work) {
        const client = await pool.connect();
        try {
          await work(client);
        } finally {
          client.release();
        }
      },
      send: (client, { text, params }) => client.query(text, params),
      idsOf: idsOfRows,
    },
    clear: () => pool.query('TRUNCATE payments_journal, payments_inbox'),
    close: () => pool.end(),
  };
}

/** Takes down what each connection is sent while it is out of the pool. */
function listening(pool, recorder) {
  const connect = pool.connect.bind(pool);
  pool.connect = async () => {
    const client = await connect();
    const { release } = client;
    const query = client.query.bind(client);
    const inside = recorder.enter();
    client.query = (text, params) => recorder.sent({ text, params }, query(text, params), inside);
    client.release = (error) => {
      delete client.query;
      recorder.leave(inside);
      release(error);
    };
    return client;
  };
  return pool;
}
