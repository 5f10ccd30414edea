/** Draws `docs/diagrams` from `site/diagrams`; with `--check` it only says which drawings are not up to date. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import architecture from './diagrams/architecture.mjs';
import enlist from './diagrams/enlist.mjs';
import moneySafety from './diagrams/money-safety.mjs';
import replicas from './diagrams/replicas.mjs';
import replicasPayment from './diagrams/replicas-payment.mjs';
import replicasWebhook from './diagrams/replicas-webhook.mjs';
import webhook from './diagrams/webhook.mjs';

const drawings = {
  architecture,
  enlist,
  'money-safety': moneySafety,
  replicas,
  'replicas-payment': replicasPayment,
  'replicas-webhook': replicasWebhook,
  webhook,
};

for (const [name, svg] of Object.entries(drawings)) {
  const file = new URL(`../docs/diagrams/${name}.svg`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, svg);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== svg) {
    console.error(
      `docs/diagrams/${name}.svg is not what site/diagrams draws: run \`npm run docs:diagrams\`.`,
    );
    process.exitCode = 1;
  }
}
