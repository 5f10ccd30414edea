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
