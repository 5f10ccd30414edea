import { Injectable } from '@nestjs/common';

/** What must happen once for each paid order, and not for any other. */
@Injectable()
export class OvenService {
  readonly baked: string[] = [];

  bake(reference: string): void {
    this.baked.push(reference);
  }
}
