import { type RequestListener } from 'node:http';
import { problemAt } from './control/control-problem.js';
import { sendJson } from './http/answer.js';
import { type StateRecorder } from './state/state-recorder.js';

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
