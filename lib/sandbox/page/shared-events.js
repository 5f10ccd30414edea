/* global self */
// A shared worker: all tabs of a browser listen to one event stream, because a browser opens six connections.
import { EventHub } from './event-hub.js';

const hub = new EventHub();

self.addEventListener('connect', ({ ports: [port] }) => {
  const listener = (message) => port.postMessage(message);
  port.addEventListener('message', ({ data }) => {
    if (data === 'join') hub.join(listener);
    else hub.leave(listener);
  });
  port.start();
});
