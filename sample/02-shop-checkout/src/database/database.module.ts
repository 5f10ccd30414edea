import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Database } from './database.js';
import { migrate } from './migrate.js';
import { PgliteDatabase } from './pglite.database.js';
import { PostgresDatabase } from './postgres.database.js';

@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [ConfigService],
      useFactory: async (config: ConfigService): Promise<Database> => {
        const url = config.get<string>('DATABASE_URL');
        const database = url
          ? new PostgresDatabase(url)
          : await PgliteDatabase.open(config.get<string>('DATABASE_DIR'));
        await migrate(database.pool);
        return database;
      },
    },
  ],
  exports: [Database],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  /** Not earlier: until then the package writes running payments and webhooks. */
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
