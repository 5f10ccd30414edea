import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals the merchants' keys, so that a copy of the table moves no money. */
@Injectable()
export class KeyBox {
  private readonly key: () => Buffer;

  constructor(config: ConfigService) {
    const key = Buffer.from(config.get<string>('KEY_OF_KEYS', ''), 'base64');
    if (key.length !== 32) throw new Error('KEY_OF_KEYS must be 32 bytes in base64: openssl rand -base64 32');
    // A closure, so that nobody logs it by accident.
    this.key = () => key;
  }

  /** What is sealed for one merchant does not open for another. */
  seal(merchant: string, text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key(), iv).setAAD(Buffer.from(merchant));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  open(merchant: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const cipher = createDecipheriv(ALGORITHM, this.key(), bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(merchant))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const opened = Buffer.concat([cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]);
    return opened.toString('utf8');
  }
}
