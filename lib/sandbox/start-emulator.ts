import { type Server } from 'node:http';
import { afterCommit } from './after-commit.js';
import { composeSandbox, type ComposedSandbox } from './compose.js';
import { accessRulesOf } from './http/access-rules.js';
import { listen } from './http/http-server.js';
import { requestListener } from './request-listener.js';
import { dataFolderOf, resolveSandboxOptions, type SandboxSettings } from './resolve-sandbox-options.js';
import { type PaymentsSandboxOptions } from './sandbox-options.js';
import { recordState } from './state/record-state.js';
import { storedSettings } from './state/state-entry.js';
import { StateFolder } from './state/state-folder.js';
import { type StateRecorder } from './state/state-recorder.js';
import { beginWorld } from './world/begin-world.js';

interface StartedEmulator {
  readonly settings: SandboxSettings;
  readonly parts: ComposedSandbox;
  readonly server: Server;
  /** Undefined without the `data` option. */
  readonly recorder: StateRecorder | undefined;
}

/**
 * Composes an emulator with the state of its folder, and listens.
 *
 * @throws PaymentsConfigError if an option is wrong or the port is taken.
 */
export async function startEmulator(options: PaymentsSandboxOptions): Promise<StartedEmulator> {
  const data = dataFolderOf(options);
  const folder = data === undefined ? undefined : await StateFolder.open(data);
  try {
    const entries = folder?.entries ?? [];
    const settings = resolveSandboxOptions(options, storedSettings(entries));
    const parts = composeSandbox(settings);
    const isFresh = entries.length === 0;
    if (options.world && isFresh) await beginWorld(parts, options.world, settings.auto);
    parts.state.restore(entries);
    const server = await listen(settings.port, settings.host);
    // Not before it listens: a start that failed must leave nothing in the folder.
    const recorder = folder && recordState(folder, parts);
    const { gatewayRoute: gateway, controlRoute: control } = parts;
    server.on('request', afterCommit(requestListener(gateway, control, accessRulesOf(settings)), recorder));
    if (!isFresh) parts.state.resume();
    return { settings, parts, server, recorder };
  } catch (error) {
    folder?.close();
    throw error;
  }
}
