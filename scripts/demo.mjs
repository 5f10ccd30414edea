// `npm run demo`: the emulator and the sample shop, to play with. With `--once` the story plays by itself.
import { parseArgs, styleText } from 'node:util';
import { buildWhatIsMissing } from './demo/build.mjs';
import { isFree, startEmulator, startShop } from './demo/start.mjs';
import { playStory } from './demo/story.mjs';

const USAGE = `Usage: npm run demo -- [options]

  --once                play the story in the terminal, check each step, and end
  --port <number>       port of the emulator (default: 4242, or a free one)
  --shop-port <number>  port of the shop (default: 3000, or a free one)
  --help                show this`;
const FRIENDLY_PORTS = { port: 4242, 'shop-port': 3000 };

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
    const ports = {
      emulator: await choosePort('port', 'Start the emulator', options),
      shop: await choosePort('shop-port', 'Start the shop', options),
    };
    buildWhatIsMissing(say);
    const { emulator, shop } = await startBoth(ports, options, running);
    if (options.once) await tellStory(emulator, shop);
    else await serve(emulator, shop);
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
  try {
    const options = { once: flag, help: flag, port: text, 'shop-port': text };
    const { values } = parseArgs({ options });
    for (const name of Object.keys(FRIENDLY_PORTS)) {
      if (!/^\d{1,5}$/.test(values[name] ?? '0') || Number(values[name] ?? 0) > 65_535) {
        throw new Error(`--${name} must be a whole number from 0 to 65535`);
      }
    }
    if (
      values.port !== undefined &&
      Number(values.port) === Number(values['shop-port']) &&
      Number(values.port) > 0
    ) {
      throw new Error('--port and --shop-port must differ');
    }
    return values;
  } catch (error) {
    complain(`${error.message}.\n`);
    process.stderr.write(`${USAGE}\n`);
    return undefined;
  }
}

async function startBoth(ports, { once }, running) {
  const emulator = await startEmulator(ports.emulator);
  running.push(() => emulator.stop());
  const shop = await startShop(ports.shop, emulator, once ? ['error', 'fatal'] : ['warn', 'error', 'fatal']);
  running.push(shop.close);
  return { emulator, shop };
}

async function choosePort(option, step, options) {
  const wanted = options[option];
  if (wanted !== undefined) {
    if (await isFree(Number(wanted))) return Number(wanted);
    throw new Error(`${step}: port ${wanted} is taken. Choose another with --${option}.`);
  }
  if (options.once) return 0;
  const friendly = FRIENDLY_PORTS[option];
  const asked = Object.keys(FRIENDLY_PORTS).some((name) => Number(options[name]) === friendly);
  if (!asked && (await isFree(friendly))) return friendly;
  say(`Port ${friendly} is taken, so a free one serves instead (--${option} chooses one).`);
  return 0;
}

async function tellStory(emulator, shop) {
  const width = 27;
  const tell = (step, seen) => say(`${paint('green', '✔')} ${step.padEnd(width)}${paint('dim', seen)}`);
  await playStory({ shop: shop.url, emulator: emulator.url, tell });
  say('\nThe whole story works.');
}

async function serve(emulator, shop) {
  say(paint('green', 'Ready.'));
  say();
  say(`  The shop              ${paint('bold', `${shop.url}/`)}`);
  say(`  The customer's phone  ${paint('bold', `${emulator.url}/`)}`);
  say();
  say('  1. Open both, side by side.');
  say('  2. Press Pay in the shop, then Approve on the phone: the order turns paid without a reload.');
  say("  3. Pay a supplier in the shop's back office, then let the payout arrive on the phone's page.");
  say();
  say(paint('dim', 'Everything is made up. Ctrl-C ends both.'));
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
}
