import type * as CliProgressModule from 'cli-progress';
import { performance } from 'node:perf_hooks';
import { type BatchProgress } from '../../batches/index.js';
import { type LogLines } from '../log-lines.js';
import { type PayoutSession } from './payout-session.js';
import { Pace, progressIn } from './progress-text.js';

/** Where there is no terminal, a line comes so often. */
const LINE_EVERY_MS = 5_000;
const JSON_EVERY_MS = 1_000;
const BAR_WIDTH = 24;

/** Shows how far a batch is. */
interface ProgressScreen {
  readonly show: Show;
  /** Gives the screen back. */
  readonly end: () => void;
}

type Kind = 'check' | 'pay';
type Show = (progress: BatchProgress) => void;

/** A bar on a terminal, lines elsewhere, and with `--json` lines of JSON while a batch is paid. */
export async function progressScreen(
  kind: Kind,
  { args, context, log }: PayoutSession,
): Promise<ProgressScreen> {
  const { screen, terminal } = context;
  if (args.values.json) {
    const line: Show = (progress) => {
      terminal.data(JSON.stringify({ type: 'progress', ...progress }));
    };
    return kind === 'pay' ? lines(JSON_EVERY_MS, line) : { show: () => undefined, end: () => undefined };
  }
  const bar = screen && (await cliProgress());
  if (bar) return barScreen(kind, new bar.MultiBar(optionsOf(kind, screen), bar.Presets.shades_classic), log);
  const pace = new Pace();
  return lines(LINE_EVERY_MS, (progress) => {
    const { done, total, outcomes } = progressIn(kind, progress);
    const rate = pace.of({ done, total, outcomes }, performance.now());
    log.say(`${done}/${total} lines ${kind === 'pay' ? 'sent' : 'checked'}${rate}${outcomes}`);
  });
}

type CliProgress = (typeof CliProgressModule)['default'];

/** The bar is a pleasure, and not a need. */
async function cliProgress(): Promise<CliProgress | undefined> {
  try {
    return (await import('cli-progress')).default;
  } catch {
    return undefined;
  }
}

function optionsOf(kind: Kind, stream: NodeJS.WritableStream): object {
  return {
    stream,
    format: '{bar} {value}/{total} lines{rest}',
    barsize: BAR_WIDTH,
    // Ctrl-C ends a check at once, and nobody would give the cursor back.
    hideCursor: kind === 'pay',
    linewrap: kind === 'check',
    emptyOnZero: true,
    // Ctrl-C pauses a batch that is paid, and does not end the process.
    gracefulExit: false,
  };
}

function barScreen(kind: Kind, bars: InstanceType<CliProgress['MultiBar']>, log: LogLines): ProgressScreen {
  const pace = new Pace();
  const say = log.say;
  let bar: ReturnType<typeof bars.create> | undefined;
  log.say = (line) => {
    if (!bar) {
      say(line);
      return;
    }
    bars.log(`${line}\n`);
    // What waits for the next drawing is lost if the bar ends before.
    bars.update();
  };
  return {
    show: (progress) => {
      const now = progressIn(kind, progress);
      const payload = { rest: pace.of(now, performance.now()) + now.outcomes };
      if (bar) bar.update(now.done, payload);
      else bar = bars.create(now.total, now.done, payload);
    },
    end: () => {
      if (bar) bars.stop();
      log.say = say;
    },
  };
}

/** Shows the first progress, then one in a while, and the last one; none twice. */
function lines(everyMs: number, show: Show): ProgressScreen {
  let shownAt = -Infinity;
  let shown = '';
  let hidden: BatchProgress | undefined;
  const showNew = (progress: BatchProgress): void => {
    const sums = JSON.stringify([progress.state, progress.byState]);
    if (sums !== shown) show(progress);
    shown = sums;
    hidden = undefined;
  };
  return {
    show: (progress) => {
      hidden = progress;
      if (performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      showNew(progress);
    },
    end: () => {
      if (hidden) showNew(hidden);
    },
  };
}
