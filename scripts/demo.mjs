// `npm run demo`: the emulator and the sample shop side by side, to play with. With `--once` the story plays by itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { buildWhatIsMissing, sampleFolder } from './demo/build.mjs';
import { playCheckout } from './demo/checkout-story.mjs';
import { narrate } from './demo/narrate.mjs';
import { playQuickstart } from './demo/quickstart-story.mjs';
import { timeOf, whyNoDemo } from './demo/sentences.mjs';
import { startPage } from './demo/serve-page.mjs';
import { isFree, openBrowser, startCheckout, startEmulator, startQuickstart } from './demo/start.mjs';

const USAGE = `Usage: npm run demo -- [options]

  --once                play the story in the terminal, check each step, and end
  --no-open             do not open the page in a browser
  --fresh               begin without the orders of the last demo, and keep none
  --port <number>       port of the emulator (default: 4242, or a free one)
  --shop-port <number>  port of the shop (default: 3000, or a free one)
  --page-port <number>  port of the page that shows both (default: 4240, or a free one)
  --help                show this`;
const PORTS = {
  port: { friendly: 4242, step: 'Start the emulator' },
  'shop-port': { friendly: 3000, step: 'Start the shop' },
  'page-port': { friendly: 4240, step: 'Start the page' },
};
const CHECKOUT = '02-shop-checkout';
const QUICKSTART = '01-quickstart';
const LOOKS = { shop: 'cyan', gateway: 'magenta', phone: 'yellow' };

const say = (line = '') => void process.stdout.write(`${line}\n`);
const complain = (line) =>
  void process.stderr.write(`${styleText('red', line, { stream: process.stderr })}\n`);
const paint = (look, text) => styleText(look, text, { stream: process.stdout });

process.exitCode = await main();

async function main() {
  const options = understand();
  if (!options) return 2;
  if (options.help) {
    say(USAGE);
    return 0;
  }
  const running = [];
  try {
    const ports = {};
    for (const option of Object.keys(PORTS)) ports[option] = await choosePort(option, options);
    buildWhatIsMissing(options.once ? [QUICKSTART, CHECKOUT] : [CHECKOUT], say);
    if (options.once) await tellStories(ports, running);
    else await serve(ports, options, running);
    return 0;
  } catch (error) {
    complain(`✖ ${error.message}`);
    return 1;
  } finally {
    for (const stop of running.reverse()) await stop();
  }
}

function understand() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const options = { once: flag, 'no-open': flag, fresh: flag, help: flag };
  for (const name of Object.keys(PORTS)) options[name] = text;
  try {
    const { values } = parseArgs({ options });
    const chosen = Object.keys(PORTS).filter((name) => values[name] !== undefined);
    for (const name of chosen) {
      if (!/^\d{1,5}$/.test(values[name]) || Number(values[name]) > 65_535) {
        throw new Error(`--${name} must be a whole number from 0 to 65535`);
      }
    }
    const fixed = chosen.filter((name) => Number(values[name]) > 0);
    if (new Set(fixed.map((name) => Number(values[name]))).size < fixed.length) {
      throw new Error(`${fixed.map((name) => `--${name}`).join(' and ')} must differ`);
    }
    return values;
  } catch (error) {
    complain(`${error.message}.\n`);
    process.stderr.write(`${USAGE}\n`);
    return undefined;
  }
}

async function choosePort(option, options) {
  const { friendly, step } = PORTS[option];
  const wanted = options[option];
  if (wanted !== undefined) {
    if (await isFree(Number(wanted))) return Number(wanted);
    throw new Error(`${step}: port ${wanted} is taken. Choose another with --${option}.`);
  }
  if (options.once) return 0;
  const asked = Object.keys(PORTS).some((name) => Number(options[name]) === friendly);
  if (!asked && (await isFree(friendly))) return friendly;
  say(`Port ${friendly} is taken, so a free one serves instead (--${option} chooses one).`);
  return 0;
}

/** Each sample plays on an emulator of its own, and keeps its orders as long as its story. */
async function tellStories(ports, running) {
  const width = 27;
  const tell = (step, seen) => say(`${paint('green', '✔')} ${step.padEnd(width)}${paint('dim', seen)}`);
  const logger = ['error', 'fatal'];
  const stories = [
    [QUICKSTART, startQuickstart, playQuickstart],
    [CHECKOUT, startCheckout, playCheckout],
  ];
  for (const [name, start, play] of stories) {
    say(name);
    const { orders, payments } = foldersIn(temporaryFolder(running));
    let emulator = await startEmulator(ports.port, { data: payments });
    running.push(() => emulator.stop());
    let shop = await start(ports['shop-port'], emulator, logger, { folder: orders });
    running.push(() => shop.close());
    const restart = async () => {
      await shop.close();
      await emulator.stop();
      emulator = await startEmulator(portOf(emulator), { data: payments });
      shop = await start(portOf(shop), emulator, logger, { folder: orders });
    };
    const { url, officePassword } = shop;
    await play({ shop: url, emulator: emulator.url, officePassword, tell, restart });
    for (const stop of running.splice(0).reverse()) await stop();
    say();
  }
  say('The whole story works.');
}

async function serve(ports, options, running) {
  const kept = join(sampleFolder(CHECKOUT), 'data', 'demo');
  const { orders, payments } = foldersIn(options.fresh ? temporaryFolder(running) : kept);
  const page = await startPage(ports['page-port']);
  running.push(page.close);
  const emulator = await startEmulator(ports.port, { frameAncestors: [page.origin], data: payments }).catch(
    (error) => {
      throw new Error(whyNoDemo(error.message));
    },
  );
  running.push(() => emulator.stop());
  const shop = await startCheckout(ports['shop-port'], emulator, ['error', 'fatal'], {
    folder: orders,
    framedBy: page.origin,
  });
  running.push(shop.close);
  page.show({ shop: `${shop.url}/`, phone: `${emulator.url}/` });
  await narrate(emulator, shop.app, (who, sentence) => {
    say(`${paint('dim', timeOf(Date.now()))}  ${paint(LOOKS[who], who.padEnd(8))} ${sentence}`);
  });
  greet(page, shop, emulator);
  if (!options['no-open'] && !process.env.CI) await openBrowser(`${page.origin}/`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
}

function greet(page, shop, emulator) {
  say(`${paint('green', 'Ready.')} Open ${paint('bold', `${page.origin}/`)}`);
  say();
  say(`  The shop alone              ${shop.url}/`);
  say(`  The customer's phone alone  ${emulator.url}/`);
  say();
  say('  Press Pay in the shop, then Approve on the phone: the order turns paid without a reload.');
  say('  The numbers above the shop show what happens otherwise. Here you read it as it happens.');
  say();
  say(paint('dim', 'Everything is made up. Ctrl-C ends it all.'));
  say();
}

/** Where the shop keeps its orders, and the emulator its payments: an order that waits can still be approved. */
function foldersIn(folder) {
  return { orders: join(folder, 'orders'), payments: join(folder, 'payments') };
}

function portOf({ url }) {
  return Number(new URL(url).port);
}

function temporaryFolder(running) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-demo-'));
  running.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
