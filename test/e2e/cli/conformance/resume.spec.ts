import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  ALL_INPUTS,
  type Conclusion,
  planRun,
  QUESTIONS,
  conclusionsOf,
  Conversation,
  gatewayOf,
  ownFolder,
  UsageError,
  WIDE_CAPS,
} from '../../../support/conformance-run.js';
import { startSandbox } from '../../../support/sandbox.js';

const ASKED = ['bearer', 'same key, same request', 'key of a refusal', 'longest reference', 'amount as text'];
const plan = planRun(
  ALL_INPUTS,
  WIDE_CAPS,
  QUESTIONS.filter(({ name }) => ASKED.includes(name)),
);

/** Without the request ids, which differ from run to run. */
function told(conclusions: readonly Conclusion[]): readonly string[] {
  return conclusions.map(({ verdict, question, says }) => `${verdict} ${question}: ${says}`);
}

/** Stops a run after so many requests, as Ctrl-C does. */
function stopAfter(sandbox: PaymentsSandbox, merchant: string, requests: number): AbortSignal {
  const sent = () => requestsOf(sandbox, merchant).length;
  return {
    get aborted() {
      return sent() >= requests;
    },
  } as AbortSignal;
}

function requestsOf(sandbox: PaymentsSandbox, merchant: string) {
  return sandbox.requests().filter((request) => request.merchant === merchant);
}

function cutLastLine(journal: string, kept: number): void {
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const last = lines.pop() ?? '';
  writeFileSync(journal, `${lines.join('\n')}\n${last.slice(0, kept)}`);
}

describe('a run that was stopped and is resumed', () => {
  it('finds the same, wherever it was stopped, and asks nothing twice', async () => {
    const sandbox = await startSandbox();
    const whole = told(await conclusionsOf(gatewayOf(sandbox, 'whole'), plan));
    const count = requestsOf(sandbox, 'whole').length;
    expect(count).toBeGreaterThan(10);
    for (let stop = 0; stop <= count; stop += 1) {
      const merchant = `stopped-${stop}`;
      const journal = join(ownFolder(), 'journal.jsonl');
      const signal = stopAfter(sandbox, merchant, stop);
      const part = await conclusionsOf(gatewayOf(sandbox, merchant), plan, { journal, signal });
      expect(requestsOf(sandbox, merchant)).toHaveLength(stop);
      if (stop < count) expect(told(part).join()).toContain('it was not asked to its end');
      // What a crash leaves while it writes about the next request, which was not sent.
      appendFileSync(journal, '{"ask":"same key, sa');
      expect(told(await conclusionsOf(gatewayOf(sandbox, merchant), plan, { journal }))).toEqual(whole);
      expect(requestsOf(sandbox, merchant)).toHaveLength(count);
    }
  });

  it('takes an answer that was not written down for lost, and never pays again to hear it', async () => {
    const sandbox = await startSandbox();
    const whole = told(await conclusionsOf(gatewayOf(sandbox, 'whole'), plan));
    const count = requestsOf(sandbox, 'whole').length;
    for (let stop = 1; stop <= count; stop += 1) {
      const merchant = `killed-${stop}`;
      const journal = join(ownFolder(), 'journal.jsonl');
      const signal = stopAfter(sandbox, merchant, stop);
      await conclusionsOf(gatewayOf(sandbox, merchant), plan, { journal, signal });
      cutLastLine(journal, stop % 2 === 0 ? 0 : 30);
      const killed = requestsOf(sandbox, merchant).at(-1)!;
      const resumed = told(await conclusionsOf(gatewayOf(sandbox, merchant), plan, { journal }));
      const again = requestsOf(sandbox, merchant).filter(
        ({ headers, body }) =>
          headers['idempotency-key'] === killed.headers['idempotency-key'] &&
          JSON.stringify(body) === JSON.stringify(killed.body),
      );
      if (killed.method === 'GET') expect(resumed).toEqual(whole);
      else {
        expect(again.at(-1)).toBe(killed);
        expect(resumed.filter((line) => /^silent .*its answer was lost$/.test(line))).toHaveLength(1);
      }
      expect(resumed.filter((line) => !line.startsWith('silent') && !whole.includes(line))).toEqual([]);
    }
  });

  it('continues only with the run that began it', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    const gateway = gatewayOf(sandbox);
    await conclusionsOf(gateway, plan, { journal });
    const other = planRun({ ...ALL_INPUTS, phone: '255799999999' }, WIDE_CAPS);
    await expect(conclusionsOf(gateway, other, { journal })).rejects.toThrow(/belongs to a run with other/);
    await expect(conclusionsOf(gatewayOf(sandbox, 'else'), plan, { journal })).rejects.toThrow(
      /other options/,
    );
    for (const foreign of ['secret notes', '[1]\n', '{"version":2,"run":"x"}\n', '{"version":1}\n']) {
      writeFileSync(journal, foreign);
      await expect(conclusionsOf(gateway, plan, { journal })).rejects.toThrow(/no journal of a run/);
      expect(readFileSync(journal, 'utf8')).toBe(foreign);
    }
    await expect(conclusionsOf(gateway, plan, { journal: ownFolder() })).rejects.toThrow(/cannot be opened/);
  });

  it('is one run alone: a second process is refused while the first one has the journal', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    const gateway = gatewayOf(sandbox);
    const both = await Promise.allSettled([
      conclusionsOf(gateway, plan, { journal }),
      conclusionsOf(gateway, plan, { journal }),
    ]);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeInstanceOf(UsageError);
    expect(refused[0]?.message).toMatch(/uses the journal .*journal\.jsonl already.*--journal/);
    expect(readFileSync(journal, 'utf8').match(/"version"/g)).toHaveLength(1);
    expect(await conclusionsOf(gateway, plan, { journal })).not.toEqual([]);
    expect(readdirSync(dirname(journal))).toEqual(['journal.jsonl']);
  });

  it.each(['a file', 'a file that does not exist yet', 'a link in a folder that is one itself'])(
    'is one run alone under another name, too: the link leads to %s',
    async (kind) => {
      const gateway = gatewayOf(await startSandbox());
      const folder = ownFolder();
      const journal = join(folder, 'journal.jsonl');
      const link = join(ownFolder(), 'link.jsonl');
      if (kind === 'a file') (await Conversation.open(gateway, plan, journal)).close();
      symlinkSync(folder, `${folder}-2`);
      onTestFinished(() => {
        rmSync(`${folder}-2`);
      });
      const target = kind.startsWith('a link') ? join(`${folder}-2`, 'second.jsonl') : journal;
      if (target !== journal) symlinkSync('journal.jsonl', join(folder, 'second.jsonl'));
      symlinkSync(target, link);
      for (const [one, other] of [
        [journal, link],
        [link, journal],
      ] as const) {
        const first = await Conversation.open(gateway, plan, one);
        await expect(Conversation.open(gateway, plan, other)).rejects.toThrow(/uses the journal .*--journal/);
        first.close();
      }
      expect(readFileSync(link, 'utf8')).toBe(readFileSync(journal, 'utf8'));
      expect(readFileSync(journal, 'utf8').match(/"version"/g)).toHaveLength(1);
    },
  );

  it('is not opened where links lead in a circle, or to a folder that does not exist', async () => {
    const gateway = gatewayOf(await startSandbox());
    const [circle, nowhere] = [join(ownFolder(), 'circle'), join(ownFolder(), 'nowhere')];
    symlinkSync(circle, circle);
    symlinkSync(join(nowhere, '..', 'no-folder', 'journal.jsonl'), nowhere);
    for (const [journal, code] of [
      [circle, /\(ELOOP\): name a file/],
      [nowhere, /\(ENOENT\): name a file/],
    ] as const)
      await expect(Conversation.open(gateway, plan, journal)).rejects.toThrow(code);
  });

  it('begins again with other options as long as nothing was asked', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    const gateway = gatewayOf(sandbox);
    (await Conversation.open(gateway, planRun({ amountCents: 1 }, WIDE_CAPS), journal)).close();
    await conclusionsOf(gateway, plan, { journal });
    expect(readFileSync(journal, 'utf8').match(/"version"/g)).toHaveLength(1);
  });

  it('knows a journal whose run has ended', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    const gateway = gatewayOf(sandbox);
    const open = () => Conversation.open(gateway, plan, journal);
    const first = await open();
    first.finish();
    expect(first.wasFinished).toBe(false);
    first.close();
    const second = await open();
    expect(second.wasFinished).toBe(true);
    second.close();
  });

  it('leaves the rights of a file that is no journal', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'notes.txt');
    writeFileSync(journal, 'notes for everyone\n');
    chmodSync(journal, 0o644);
    await expect(conclusionsOf(gatewayOf(sandbox), plan, { journal })).rejects.toThrow(/no journal of a run/);
    expect(statSync(journal).mode & 0o777).toBe(0o644);
  });

  it.each([
    '{"ask":"bearer","step":0,"operation":"GET /merchant-balance","cents":-100}',
    '{"ask":"bearer","step":0,"operation":"GET /merchant-balance","cents":0.5}',
    '{"ask":"bearer","step":-1,"operation":"GET /merchant-balance","cents":0}',
    '{"ask":"bearer","step":0,"operation":"GET /merchant-balance","cents":0}\n{"heard":"bearer","step":0,"outcome":{"status":200,"headers":[],"body":"text"}}',
  ])('refuses a line that was changed by hand: %s', async (line) => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    (await Conversation.open(gatewayOf(sandbox), plan, journal)).close();
    appendFileSync(journal, `${line}\n`);
    await expect(conclusionsOf(gatewayOf(sandbox), plan, { journal })).rejects.toThrow(/no journal of a run/);
    expect(sandbox.requests()).toEqual([]);
  });

  it('begins again if not even the first line was written', async () => {
    const sandbox = await startSandbox();
    const journal = join(ownFolder(), 'journal.jsonl');
    writeFileSync(journal, '{"version":1,"run":"7c');
    await conclusionsOf(gatewayOf(sandbox), plan, { journal });
    expect(readFileSync(journal, 'utf8').split('\n')[0]).toMatch(/^\{"version":1,"run":"[\da-f-]{36}"/);
  });
});
