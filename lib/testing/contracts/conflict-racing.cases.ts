import { CONFLICT_SCOPE as SCOPE, type ConflictsTest, PAGE, setAside } from './conflict-test.js';
import { type Cases } from './contract-framework.js';

const TWENTY = Array.from({ length: 20 }, (_, index) => index);

/** What comes at the same time: nothing of it is lost, and a new delivery wins. */
export const CONFLICT_RACING: Cases<ConflictsTest> = {
  'counts each of many deliveries of one event that come at the same time': async ({ conflicts, expect }) => {
    await Promise.all(TWENTY.map(() => conflicts.setAside(setAside())));
    expect(await conflicts.list(SCOPE, PAGE)).toMatchObject([{ ...setAside(), seen: TWENTY.length }]);
  },

  'keeps every one of many events that come at the same time': async ({ conflicts, expect }) => {
    await Promise.all(TWENTY.map((at) => conflicts.setAside(setAside({ fingerprint: `f${at}` }))));
    const listed: string[] = [];
    // A store that ignores `after` gives pages forever.
    for (let after: string | undefined; listed.length <= TWENTY.length;) {
      const page = await conflicts.list(SCOPE, { limit: 3, ...(after !== undefined && { after }) });
      listed.push(...page.map(({ fingerprint }) => fingerprint));
      after = page.at(-1)?.id;
      if (after === undefined) break;
    }
    expect(listed.sort()).toEqual(TWENTY.map((at) => `f${at}`).sort());
  },

  'keeps the payload of a new delivery if another one replaces that of the entry at the same time': async ({
    conflicts,
    expect,
  }) => {
    for (const at of TWENTY) await conflicts.setAside(setAside({ fingerprint: `f${at}` }));
    const entries = await conflicts.list(SCOPE, PAGE);
    await Promise.all(
      entries.map(async (entry, index) => {
        const { fingerprint } = entry;
        const deliver = () => conflicts.setAside(setAside({ fingerprint, payload: '{"delivered":"again"}' }));
        const replace = () => conflicts.replacePayload(entry, '{"of":"the one before"}');
        await Promise.all(index % 2 === 0 ? [deliver(), replace()] : [replace(), deliver()]);
      }),
    );
    const after = await conflicts.list(SCOPE, PAGE);
    expect(after).toEqual(entries.map((entry) => ({ ...entry, payload: '{"delivered":"again"}', seen: 2 })));
  },
};
