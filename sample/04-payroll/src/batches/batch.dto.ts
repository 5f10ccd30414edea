import { ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { Transform } from 'class-transformer';

export class CreateQuery {
  /** The batch whose lines are paid once more on purpose. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && value ? [value] : []))
  @IsString({ each: true })
  readonly again: string[] = [];
}

export class ApproveDto {
  @IsString()
  readonly digest!: string;

  @IsBoolean()
  @IsOptional()
  readonly withoutBlocked?: boolean;
}

const STEPS = ['start', 'pause', 'resume', 'cancel'] as const;

export class StepDto {
  @IsIn(STEPS)
  readonly step!: (typeof STEPS)[number];
}

export class AcceptDto {
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  readonly keys!: string[];

  @IsString()
  readonly because!: string;
}

export class SettleDto {
  @IsIn(['paid', 'failed'])
  readonly outcome!: 'paid' | 'failed';
}

export class ReportQuery {
  @IsIn(['csv', 'summary'])
  @IsOptional()
  readonly format?: 'csv' | 'summary';
}
