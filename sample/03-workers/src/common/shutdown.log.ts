import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

/** Says that the process was told to end; what it does until then is the package's work. */
@Injectable()
export class ShutdownLog implements OnModuleDestroy {
  private readonly logger = new Logger('Shutdown');

  onModuleDestroy(): void {
    this.logger.log('Finishing what is under way');
  }
}
