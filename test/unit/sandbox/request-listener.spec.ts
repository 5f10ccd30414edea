import { expect, it } from 'vitest';
import { requestListener } from '../../../lib/sandbox/request-listener.js';
import { listen, portOf, close } from '../../../lib/sandbox/http/http-server.js';

type Parts = Parameters<typeof requestListener>;

it('answers with the reason, at once, if the emulator itself fails', async () => {
  const broken = { matches: () => true, handle: () => Promise.reject(new Error('it is broken')) };
  const rules = { allowedHosts: [], allowRemote: false, token: undefined, frameAncestors: [] };
  const parts = [broken, broken, rules] as unknown as Parts;
  const server = await listen(0, '127.0.0.1');
  server.on('request', requestListener(...parts));
  try {
    const answer = await fetch(`http://127.0.0.1:${portOf(server)}/api/v1/anything`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      status: 'error',
      code: 'SANDBOX_FAILED',
      message: 'The sandbox itself failed: it is broken.',
    });
  } finally {
    await close(server);
  }
});
