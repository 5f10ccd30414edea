// The parts of GraphQL that are used: it is not installed where the types are checked.

declare module '@nestjs/graphql' {
  import { type DynamicModule } from '@nestjs/common';

  export const GraphQLModule: {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as the module declares it
    forRoot<Options extends object>(options: Options): DynamicModule;
  };
  export function Resolver(): ClassDecorator;
  export function Query(type: () => unknown): MethodDecorator;
  export function Mutation(type: () => unknown): MethodDecorator;
  export function Args(name: string): ParameterDecorator;
}

declare module '@nestjs/apollo' {
  import { type Type } from '@nestjs/common';

  export const ApolloDriver: Type;

  export interface ApolloDriverConfig {
    driver: Type;
    autoSchemaFile: boolean;
    includeStacktraceInErrorResponses: boolean;
  }
}

declare module '@nestjs/mercurius' {
  import { type Type } from '@nestjs/common';

  export const MercuriusDriver: Type;
}
