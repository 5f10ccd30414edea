// Takes the figures of rates.mjs on this machine, within about a minute: `node bench/capacity/measure.mjs`. It reads /proc, so
// it runs on Linux, beside the server. Nobody else should write to the server: WAL is counted for all of its databases.
import { stopChildren } from '../shared/child.mjs';
import { undoAll } from '../shared/cleanup.mjs';
import { prepare } from '../shared/prepare.mjs';
import { openBenchShop } from './bench-shop.mjs';

const ROUNDS = 3;
const EACH = 6_500;
const ALONE = 600;
const AT_ONCE = 64;
const POOL_SIZE = 10;

try {
  prepare((line) => console.error(line));
  const shop = await openBenchShop({ poolSize: POOL_SIZE });
  const { server } = shop;
  const disk = await server.flushMs();
  const alone = {
    payment: await shop.run('payment', ALONE, 1),
    webhook: await shop.run('webhook', ALONE, 1),
  };
  const busy = [];
  const sizes = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Without it, every payment would leave two dead rows; where autovacuum runs, later payments use their place.
    await server.vacuum();
    const before = await server.sizes();
    const payment = await shop.run('payment', EACH, AT_ONCE);
    const webhook = await shop.run('webhook', EACH, AT_ONCE);
    sizes.push(((await server.sizes()).payments - before.payments) / EACH);
    busy.push({ payment, webhook });
  }
  // What the first rounds left without a webhook is forgotten too little: only settled payments count.
  const before = await server.used();
  const forgotten = await shop.purge();
  const after = await server.used();
  const { tombstones } = await server.sizes();
  console.log(JSON.stringify({ disk, alone, busy, bytesOfRounds: sizes }, undefined, 2));
  console.log(
    JSON.stringify({
      forgotten,
      tombstoneBytes: tombstones / forgotten,
      purgeServerMs: (after.cpuMs - before.cpuMs) / forgotten,
      purgeWalBytes: (after.walBytes - before.walBytes) / forgotten,
    }),
  );
  await shop.close();
} finally {
  await stopChildren();
  await undoAll();
}
