// The parts of the hosts that are used: they are not installed where the types are checked.

declare module 'serverless-http' {
  export default function serverless(
    application: unknown,
  ): (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
}

declare module '@codegenie/serverless-express' {
  export default function serverlessExpress(options: {
    app: unknown;
  }): (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
}

declare module '@fastify/aws-lambda' {
  export default function awsLambdaFastify(
    application: unknown,
  ): (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
}

declare module '@google-cloud/functions-framework' {
  import { type IncomingMessage, type ServerResponse } from 'node:http';

  export function http(
    name: string,
    handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  ): void;
}

declare module '@google-cloud/functions-framework/testing' {
  import { type Server } from 'node:http';

  export function getTestServer(name: string): Server;
}

declare module '@nestjs/azure-func-http/dist/adapter/azure-adapter.js' {
  export function createHandlerAdapter(application: unknown): (context: object) => void;
}

declare module '@nestjs/azure-func-http/dist/azure-http.adapter.js' {
  export const AzureHttpAdapter: {
    handle(createApp: () => Promise<unknown>, context: object, request: object): void;
  };
}

declare module 'firebase-functions/https' {
  import { type RequestListener } from 'node:http';

  export function onRequest(handler: RequestListener): RequestListener;
}
