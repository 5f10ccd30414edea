import { beforeAll, describe, expect, it } from 'vitest';
import { scriptOutput } from '../../../support/script-output.js';

/** Node 20 and 22 give promises a number only after something has begun to follow them; later ones never do. */
const SCRIPT = `
  import { executionAsyncId } from 'node:async_hooks';
  import { HandlerEnlistments } from './lib/journal/payment/handler-enlistments.js';

  const sent = [];
  const deliver = async () => {
    const enlisted = new HandlerEnlistments();
    await enlisted.run(async () => {
      await undefined;
      HandlerEnlistments.add(async () => sent.push('inside'));
    });
    HandlerEnlistments.add(async () => sent.push('outside'));
    enlisted.send();
    await undefined;
    return { isFollowed: executionAsyncId() !== 0, sent: sent.splice(0) };
  };
  const before = await deliver();
  HandlerEnlistments.expect();
  process.stdout.write(JSON.stringify([before, await deliver()]));
`;

describe('the handlers of a delivery', () => {
  let seen: readonly { isFollowed: boolean; sent: string[] }[];

  beforeAll(async () => {
    seen = JSON.parse(await scriptOutput(SCRIPT)) as typeof seen;
  });

  it('follow no promise of the process while nobody expects that they enlist', () => {
    expect(seen[0]).toEqual({ isFollowed: false, sent: [] });
  });

  it('send what they enlisted, and nothing else, once somebody expects it', () => {
    expect(seen[1]!.sent).toEqual(['inside']);
  });
});
