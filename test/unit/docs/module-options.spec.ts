import { runInNewContext } from 'node:vm';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { expect, it } from 'vitest';
import { type DocumentedOption, documentedOptions } from '../../support/documented-options.js';

/** The marked lists of each page: the files and interfaces whose TSDoc they show. */
const PAGES: Readonly<Record<string, Readonly<Record<string, readonly [files: string[], names: string[]]>>>> =
  {
    'docs/batches.md': {
      PayoutBatchesModule: [
        [
          'lib/batches/payout-batches-options.ts',
          'lib/batches/policy/batch-policy.ts',
          'lib/batches/payout-batches.module.ts',
        ],
        ['PayoutBatchesOptions', 'PayoutBatchesExtras'],
      ],
      bullmqEngine: [['lib/integrations/bullmq/bullmq-engine.ts'], ['BullmqEngineOptions']],
    },
    'docs/reconciliation.md': {
      ReconciliationModule: [
        [
          'lib/reconciliation/reconciliation-options.ts',
          'lib/reconciliation/reconciliation-policy.ts',
          'lib/reconciliation/reconciliation.module.ts',
        ],
        ['ReconciliationOptions', 'ReconciliationExtras'],
      ],
    },
    'docs/storage.md': {
      PaymentsQueueModule: [
        [
          'lib/integrations/bullmq/payments-queue-options.ts',
          'lib/integrations/bullmq/payments-queue.module.ts',
        ],
        ['PaymentsQueueOptions', 'PaymentsQueueExtras'],
      ],
    },
  };

function row({ path, text, byDefault, isOptional }: DocumentedOption): string {
  // A default that says "see" is that of the fields, which follow.
  const isSaid = byDefault !== undefined && !byDefault.startsWith('see ');
  const left = isSaid ? ` Default: ${isCode(byDefault) ? `\`${byDefault}\`` : byDefault}.` : '';
  return `- **\`${path.join('.')}\`**${isOptional ? '' : ' (required)'}: ${text}${left}`;
}

/** Whether a default is a value, and not words. */
function isCode(text: string): boolean {
  try {
    runInNewContext(`(${text})`);
    return true;
  } catch {
    return false;
  }
}

it.each(Object.entries(PAGES))(
  '%s lists every option of its modules as the TSDoc says it',
  async (page, lists) => {
    const file = join(process.cwd(), page);
    let text = readFileSync(file, 'utf8');
    for (const [name, [files, interfaces]] of Object.entries(lists)) {
      const [begin, end] = [`<!-- options of ${name} -->\n`, '<!-- end of options -->'];
      const [before, rest] = text.split(begin);
      const rows = interfaces.flatMap((one) => documentedOptions(files, one)).map(row);
      expect(rows.length, `${name} of ${page}`).toBeGreaterThan(2);
      text = `${before}${begin}\n${rows.join('\n')}\n\n${rest!.slice(rest!.indexOf(end))}`;
    }
    const config = await prettier.resolveConfig(file);
    await expect(await prettier.format(text, { ...config, filepath: file })).toMatchFileSnapshot(file);
  },
);
