import { Injectable } from '@nestjs/common';

/** Bakes once for each paid order, and for no other. */
@Injectable()
export class OvenService {
  readonly baked: string[] = [];

  bake(reference: string): void {
    this.baked.push(reference);
  }
}
