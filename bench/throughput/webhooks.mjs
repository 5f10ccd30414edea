// Serves webhooks as an application does, the same statements by hand, and a route that does nothing.
import { start as startEmpty } from '../webhooks/empty.receiver.mjs';
import { start as startModule } from '../webhooks/module.receiver.mjs';
import { delivery, PATH } from '../webhooks/deliveries.mjs';
import { writePayment } from '../stores/work.mjs';
import { start as startFloor } from './floor.receiver.mjs';
import { checkInbox, checkPayment } from './check.mjs';
import { countOf, replayOf } from './program.mjs';
import { underLoad } from './under-load.mjs';

const ADAPTER = 'express';
/** So many webhooks before the sample: checks and compilations are over, and the server's numbers are like no others. */
const BEFORE_SAMPLE = 20;
const WRITERS = 32;
const run = `${process.pid}-${Date.now().toString(36)}`;

export default async function open({ file, ...options }) {
  const { openStorage } = await import(`./storages/${file}.mjs`);
  const opened = await openStorage(options);
  const { storage } = opened;
  const steps = opened.record ? await sampleOf(opened.record()) : [];
  const replay = opened.target && replayOf(steps, sampleName(), opened.target);
  if (replay) await checkReplay(replay, storage);
  const receivers = {
    package: await startModule({ adapter: ADAPTER, storage }),
    floor: replay && (await startFloor({ adapter: ADAPTER, replay })),
    bare: await startEmpty({ adapter: ADAPTER }),
  };
  let made = 0;
  return {
    port: (subject) => receivers[subject].port,
    handled: () => receivers.package.counts.handled,
    /** Payments that the webhooks are about, written down and answered: their references. */
    async payments(times) {
      const references = Array.from({ length: times }, () => `bench-${run}-${(made += 1)}`);
      await underLoad(times, WRITERS, (index) => writePayment(storage, references[index]));
      return references;
    },
    statements: () => countOf(steps),
    clear: async () => void (await opened.clear()),
    close: async () => opened.close(),
  };
}

async function checkReplay(replay, storage) {
  const reference = `bench-check-${run}`;
  await writePayment(storage, reference);
  await replay(reference);
  await checkPayment(storage, reference, 'settled');
  await checkInbox(storage, reference);
}

function sampleName() {
  return `bench-sample-${run}`;
}

/** What the package sends for one webhook of a payment that it made. */
async function sampleOf({ recorder, storage, close }) {
  const { port } = await startModule({ adapter: ADAPTER, storage });
  const receive = async (reference) => {
    await writePayment(storage, reference);
    recorder.take();
    const { body, headers } = delivery('payments', reference, false);
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    if (answer.status !== 200) throw new Error(`The sample was answered ${answer.status}.`);
  };
  for (let index = 0; index < BEFORE_SAMPLE; index += 1) await receive(`bench-before-${run}-${index}`);
  await receive(sampleName());
  const steps = recorder.take();
  await close();
  return steps;
}
