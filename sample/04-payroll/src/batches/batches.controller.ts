import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Logger,
  type MessageEvent,
  Param,
  Post,
  Query,
  Req,
  Sse,
  StreamableFile,
  UnsupportedMediaTypeException,
  UseGuards,
} from '@nestjs/common';
import { linesFromCsv, PayoutBatches } from 'nestjs-payments/batches';
import { type Observable } from 'rxjs';
import { Person, SignedInGuard } from '../people/signed-in.guard.js';
import { ApproveDto, CreateQuery, ReportQuery, StepDto } from './batch.dto.js';
import { type BatchRow, type BatchView, rowOf, viewOf } from './batch-view.js';
import { LiveProgress } from './live-progress.js';

/** The check of many lines takes longer than a request may: the page follows it instead. */
const PATIENCE_MS = 2_000;

@Controller('batches')
@UseGuards(SignedInGuard)
export class BatchesController {
  private readonly logger = new Logger(BatchesController.name);

  constructor(
    private readonly batches: PayoutBatches,
    private readonly live: LiveProgress,
  ) {}

  @Get()
  async list(): Promise<readonly BatchRow[]> {
    const rows: BatchRow[] = [];
    for await (const batch of this.batches.list()) rows.push(await rowOf(batch));
    return rows.filter(({ state }) => state !== 'loading').reverse();
  }

  /** The body is the file. Its lines go to the database as they come, so it may be larger than the memory. */
  @Post(':batch')
  async create(
    @Param('batch') name: string,
    @Query() { again }: CreateQuery,
    @Person() by: string,
    @Req() request: IncomingMessage,
  ): Promise<BatchView> {
    if (!/^text\/csv\b/.test(request.headers['content-type'] ?? '')) {
      throw new UnsupportedMediaTypeException('Send the file as text/csv.');
    }
    // The sender of a wrong file gets an answer: a request that is destroyed takes the connection with it.
    const file = request.iterator({ destroyOnReturn: false });
    return viewOf(await this.batches.create(name, linesFromCsv(file), { by, again }));
  }

  @Get(':batch')
  async find(@Param('batch') name: string): Promise<BatchView> {
    return viewOf(await this.batches.open(name));
  }

  @Post(':batch/check')
  @HttpCode(200)
  async check(@Param('batch') name: string, @Person() by: string): Promise<BatchView> {
    const batch = await this.batches.open(name);
    const checked = batch.check({ by });
    checked.catch((error: unknown) => {
      this.logger.warn(`The check of the batch ${batch.name} stopped: ${String(error)}`);
    });
    await Promise.race([checked, pause(PATIENCE_MS, undefined, { ref: false })]);
    return viewOf(batch);
  }

  /** The digest is that of the lines on the approver's page, which may be old. */
  @Post(':batch/approve')
  @HttpCode(200)
  async approve(
    @Param('batch') name: string,
    @Person() by: string,
    @Body() { digest, withoutBlocked = false }: ApproveDto,
  ): Promise<BatchView> {
    const batch = await this.batches.open(name);
    await batch.approve({ by, digest, withoutBlocked });
    return viewOf(batch);
  }

  @Post(':batch/steps')
  @HttpCode(200)
  async take(
    @Param('batch') name: string,
    @Person() by: string,
    @Body() { step }: StepDto,
  ): Promise<BatchView> {
    const batch = await this.batches.open(name);
    await batch[step]({ by });
    return viewOf(batch);
  }

  @Sse(':batch/progress')
  async progress(@Param('batch') name: string): Promise<Observable<MessageEvent>> {
    return this.live.follow(await this.batches.open(name));
  }

  @Get(':batch/report')
  async report(
    @Param('batch') name: string,
    @Query() { format = 'csv' }: ReportQuery,
  ): Promise<StreamableFile> {
    const batch = await this.batches.open(name);
    return new StreamableFile(Readable.from(batch.report({ format })), {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="${batch.name}.${format === 'csv' ? 'lines' : 'summary'}.csv"`,
    });
  }
}
