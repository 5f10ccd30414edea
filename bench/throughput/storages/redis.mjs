import { Redis } from 'ioredis';
import { redisStorage } from 'nestjs-payments/redis';
import { Recorder } from '../recorder.mjs';

/** The version at the start of a row of the journal: a time in microseconds. */
const VERSION = /^(\d{16}) /;

/** @param name Start of the names of all keys. */
export function openStorage({ url, name }) {
  const keyPrefix = `${name}:`;
  const client = new Redis(url, { maxRetriesPerRequest: 0 });
  return {
    storage: redisStorage({ client, keyPrefix }),
    record() {
      const recorder = new Recorder();
      const recorded = {
        get status() {
          return client.status;
        },
        info: (section) => client.info(section),
        eval: (...given) => client.eval(...given),
        evalsha: (...params) => recorder.sent({ text: 'EVALSHA', params }, client.evalsha(...params)),
      };
      return { recorder, storage: redisStorage({ client: recorded, keyPrefix }), close() {} };
    },
    target: {
      send: (_, { params }) => client.evalsha(...params),
      idsOf: (answer) =>
        (Array.isArray(answer) ? answer : []).flatMap((text) => VERSION.exec(text)?.[1] ?? []),
    },
    /** The format of the keys stays: a process reads it once. */
    clear: () => removeKeys(client, keyPrefix, (key) => !key.endsWith(':format')),
    async close() {
      await removeKeys(client, keyPrefix, () => true);
      await client.quit();
    },
  };
}

async function removeKeys(client, keyPrefix, isMeant) {
  for await (const keys of client.scanStream({ match: `${keyPrefix}*`, count: 1_000 })) {
    const meant = keys.filter(isMeant);
    if (meant.length > 0) await client.unlink(meant);
  }
}
