import { type CustomTransportStrategy, Server } from '@nestjs/microservices';

/** A transport of a microservice, without a socket. */
export class NoTransport extends Server implements CustomTransportStrategy {
  listen(listening: () => void): void {
    listening();
  }
  close(): void {
    return;
  }
  on(): void {
    return;
  }
  unwrap(): never {
    throw new Error('There is no server.');
  }
}
