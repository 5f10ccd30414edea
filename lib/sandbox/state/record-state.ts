import { type RequestListener, type ServerResponse } from 'node:http';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { refusedBeforehand } from '../core/refusal.js';
import { sendJson } from '../http/answer.js';
import { FolderLostError } from './folder-lock.js';
import { storedSettings } from './state-entry.js';
import { StateFileReplacedError, type StateFolder } from './state-folder.js';
import { type StateParts } from './state-parts.js';
import { StateRecorder } from './state-recorder.js';

/** The parts of an emulator whose changes are written. */
interface Recorded {
  readonly events: EventBus<SandboxEvents>;
  readonly state: StateParts;
  readonly activity: { publishBy(publish: (task: () => void) => void): void };
}

/**
 * Reads a folder's state into an emulator that has none, and writes every change from now on.
 *
 * @throws PaymentsConfigError if a part is damaged.
 */
export function recordState(folder: StateFolder, { activity, events, state }: Recorded): StateRecorder {
  state.restore(folder.entries);
  const recorder = new StateRecorder(events, state, folder);
  activity.publishBy((task) => {
    recorder.whenWritten(task);
  });
  const { webhookSecret } = storedSettings(folder.entries);
  // Endpoints hold the secret too. With another one on disk than in `settings`, the next start would not know it.
  if (webhookSecret !== state.webhookSecret) recorder.noteEverything();
  else recorder.note(['settings']);
  return recorder;
}

/**
 * Writes what changed before the head of any answer is sent. Once a change could not be written, every answer is an
 * error that says so.
 */
export function afterCommit(listener: RequestListener, recorder: StateRecorder): RequestListener {
  return (request, response) => {
    const writeHead = response.writeHead.bind(response) as (...head: readonly unknown[]) => typeof response;
    if (recorder.failure) {
      sendFailure(response, recorder.failure);
      return;
    }
    response.writeHead = (...head: readonly unknown[]) => {
      response.writeHead = writeHead;
      recorder.commit();
      // The listener answers 500 with this message.
      if (recorder.failure) throw new Error(adviceOn(recorder.failure));
      return writeHead(...head);
    };
    listener(request, response);
  };
}

function sendFailure(response: ServerResponse, failure: Error): void {
  const { status, body } = refusedBeforehand(500, 'SANDBOX_FAILED', adviceOn(failure));
  sendJson(response, status, body);
}

function adviceOn(failure: Error): string {
  const { message } = failure;
  if (failure instanceof FolderLostError || failure instanceof StateFileReplacedError) return message;
  return `${message} The sandbox has stopped keeping its state: make room on the disk and start it again. It goes on with the last change that was written.`;
}
