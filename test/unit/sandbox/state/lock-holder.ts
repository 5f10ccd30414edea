import { lockFolder } from '../../../../lib/sandbox/state/folder-lock.js';

type Order = { readonly folder: string; readonly at: number } | 'release';

/** Takes a folder at a moment, and gives it back when it is told to. */
let release: (() => void) | undefined;

async function obey(order: Order): Promise<string> {
  if (order === 'release') {
    release?.();
    release = undefined;
    return 'released';
  }
  while (Date.now() < order.at);
  try {
    ({ release } = await lockFolder(order.folder));
    return 'held';
  } catch (error) {
    return (error as Error).message;
  }
}

process.on('message', (order: Order) => {
  void obey(order).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
