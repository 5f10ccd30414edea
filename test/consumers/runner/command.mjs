import { spawn } from 'node:child_process';
import { once } from 'node:events';

const running = new Set();

/** Ends every command that still runs, with what it started. */
export function stopChildren() {
  for (const child of running) stop(child);
}

/**
 * Runs a command to its end and resolves to its standard output.
 *
 * @throws if it fails or takes too long; the message holds all it wrote.
 */
export function run(command, args, { timeoutMs = 180_000, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawnGroup(command, args, options);
    let stdout = '';
    let output = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const timer = setTimeout(() => {
      output += `\nstopped after ${timeoutMs / 1000} s`;
      stop(child);
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}\n${output}`));
    });
  });
}

/** Starts a command that runs until it is stopped. */
export function start(command, args, options) {
  const child = spawnGroup(command, args, options);
  const closed = once(child, 'close');
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk));
  return {
    said,
    /** Resolves once it has printed this. */
    until(pattern, timeoutMs = 120_000) {
      return new Promise((resolve, reject) => {
        const fail = () => {
          clearTimeout(timer);
          reject(new Error(`${command} ${args.join(' ')} did not print ${pattern}:\n${said.text}`));
        };
        const timer = setTimeout(fail, timeoutMs);
        const look = () => pattern.test(said.text) && resolve(clearTimeout(timer));
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        child.once('close', fail);
        look();
      });
    },
    stop() {
      stop(child);
      return closed;
    },
  };
}

/** Starts a group of its own, so that a test runner's workers end with it. */
function spawnGroup(command, args, { cwd, env = {} }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: 'pipe',
    detached: true,
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  child.stdin.end();
  return child;
}

function stop(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

/** The caller's environment without what npm and the caller's own run add to it for this package. */
function environment() {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle)_|npm_config_local_prefix$|NODE_ENV$|NODE_OPTIONS$|FORCE_COLOR$|PAYMENTS_|HTTP_ADAPTER$|NODE_MAJOR$)/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(inherited), CI: 'true', NO_COLOR: '1' };
}
