import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

/** Logs the start of the shutdown. The package finishes running work. */
@Injectable()
export class ShutdownLog implements OnModuleDestroy {
  private readonly logger = new Logger('Shutdown');

  onModuleDestroy(): void {
    this.logger.log('Finishing what is under way');
  }
}
