import { type RequestListener } from 'node:http';
import { problemAt } from '../control/control-problem.js';
import { sendJson } from '../http/answer.js';
import { storedSettings } from './state-entry.js';
import { type StateFolder } from './state-folder.js';
import { type Recorded, StateRecorder } from './state-recorder.js';

/** An emulator, and what leaves it only once a change is written. */
interface Published extends Recorded {
  readonly activity: { publishBy(publish: (task: () => void) => void): void };
  readonly deliverer: { sendBy(written: () => Promise<boolean>): void };
}

/** Writes every change of an emulator into the folder whose state it has. */
export function recordState(folder: StateFolder, emulator: Published): StateRecorder {
  const { activity, deliverer, state } = emulator;
  const recorder = new StateRecorder(emulator, folder);
  activity.publishBy((task) => {
    recorder.whenWritten((written) => {
      if (written) task();
    });
  });
  deliverer.sendBy(
    () =>
      new Promise((resolve) => {
        recorder.whenWritten(resolve);
      }),
  );
  const { webhookSecret } = storedSettings(folder.entries);
  // Endpoints hold the secret too. With another one on disk than in `settings`, the next start would not know it.
  if (webhookSecret !== state.webhookSecret) recorder.noteEverything();
  else recorder.note(['settings']);
  return recorder;
}

/**
 * Writes what changed before the head of any answer is sent. Once a change could not be written, every answer is an
 * error that says so. Without a recorder nothing is written.
 */
export function afterCommit(listener: RequestListener, recorder: StateRecorder | undefined): RequestListener {
  if (!recorder) return listener;
  return (request, response) => {
    const writeHead = response.writeHead.bind(response) as (...head: readonly unknown[]) => typeof response;
    if (recorder.failure) {
      const { status, body } = problemAt(request.url, 500, 'SANDBOX_FAILED', recorder.failure.message);
      sendJson(response, status, body);
      return;
    }
    response.writeHead = (...head: readonly unknown[]) => {
      response.writeHead = writeHead;
      recorder.commit();
      // The listener answers 500 with this message.
      if (recorder.failure) throw recorder.failure;
      return writeHead(...head);
    };
    listener(request, response);
  };
}
