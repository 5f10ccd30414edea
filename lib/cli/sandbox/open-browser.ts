import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * The program that opens a URL in the person's browser; undefined on a machine without a screen.
 */
export function openerOf(
  platform: NodeJS.Platform,
  { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME }: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  const known = OPENERS[platform];
  if (known) return known;
  return DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME ? ['xdg-open'] : undefined;
}

/** Opens a URL in the person's browser. Resolves to false where there is none, and never rejects. */
export function openBrowser(url: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...args] = openerOf(process.platform, environment) ?? [];
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { env: environment, detached: true, stdio: 'ignore' });
    child.once('error', () => {
      resolve(false);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
