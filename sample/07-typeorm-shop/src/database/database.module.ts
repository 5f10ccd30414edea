import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { TypeOrmModule } from '@nestjs/typeorm';
import { typeOrmDriver } from 'nestjs-payments/postgres';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { OpenShop1763900000000 } from './open-shop.migration.js';

const embedded = new EmbeddedPostgres();

/** The connections of TypeORM: to a server, or to PGlite where no server is. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ConfigService],
      useFactory: async (config: ConfigService) => {
        const url = config.get<string>('DATABASE_URL');
        return {
          type: 'postgres' as const,
          // A delivery holds one connection while its handlers run.
          ...(url ? { url, extra: { max: 20 } } : { driver: typeOrmDriver(await embedded.open()) }),
          autoLoadEntities: true,
          migrations: [OpenShop1763900000000],
          migrationsRun: true,
        };
      },
    }),
  ],
})
export class DatabaseModule implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await embedded.close();
  }
}
