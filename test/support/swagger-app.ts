import { Body, Controller, Get, type INestApplication, Post, UseInterceptors } from '@nestjs/common';
import { type AbstractHttpAdapter } from '@nestjs/core';
import {
  ApiCreatedResponse,
  ApiDefaultResponse,
  ApiExtraModels,
  ApiOkResponse,
  DocumentBuilder,
  getSchemaPath,
  OmitType,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import * as entry from 'nestjs-payments';
import {
  Bank,
  BankDisbursement,
  BankDisbursementDto,
  BankNameLookup,
  BanksService,
  CollectionPayment,
  CollectionsService,
  DisbursementsService,
  MobileMoneyCollectionDto,
  MobileMoneyDisbursement,
  MobileMoneyDisbursementDto,
  MobileMoneyNameLookup,
  NameLookupDto,
  type NameLookupResult,
  NameLookupService,
  PartnerWalletCollectionDto,
  PartnerWalletNameLookup,
  PaymentsErrorBody,
  PaymentsErrorInterceptor,
  PaymentsModule,
  type PaymentsModuleOptions,
  WalletBalance,
  WalletService,
} from 'nestjs-payments';
import { GATEWAY_RECORDS, GATEWAY_REQUESTS } from './gateway-contract.js';

/** A request of the host's own: its server knows the amount. */
class CheckoutDto extends OmitType(MobileMoneyCollectionDto, ['amount', 'metadata']) {}

/** The gateway's records that have other names in the package, or several classes. */
const CLASSES_OF: Readonly<Partial<Record<string, readonly string[]>>> = {
  MobileMoneyCollection: ['CollectionPayment'],
  PartnerWalletCollection: ['CollectionPayment'],
  NameLookupResult: ['BankNameLookup', 'MobileMoneyNameLookup', 'PartnerWalletNameLookup'],
};

/** A class of the package, and what the gateway's document calls it. */
export interface Model {
  readonly name: string;
  readonly Class: new () => object;
  readonly gateway: readonly string[];
}

/** The class of every request in the gateway's document. */
export const REQUESTS: readonly Model[] = modelsOf(GATEWAY_REQUESTS, (request) => [
  request.replace(/Request$/, 'Dto'),
]);
/** The classes of every record in the gateway's document. */
export const RECORDS: readonly Model[] = modelsOf(
  GATEWAY_RECORDS,
  (record) => CLASSES_OF[record] ?? [record],
);
const MODELS = [...REQUESTS, ...RECORDS].map(({ Class }) => Class);

function modelsOf(schemas: readonly string[], classesOf: (schema: string) => readonly string[]): Model[] {
  const names = new Set(schemas.flatMap(classesOf));
  return [...names].map((name) => {
    const gateway = schemas.filter((schema) => classesOf(schema).includes(name));
    const Class = (entry as Readonly<Record<string, unknown>>)[name] as Model['Class'] | undefined;
    if (Class) return { name, Class, gateway };
    throw new Error(
      `gateway.yaml has ${gateway.join(', ')}, and the package no class ${name}: export it from lib/index.ts, or name ` +
        'its class in CLASSES_OF of test/support/swagger-app.ts',
    );
  });
}

/** A host that hands every request of the package through and shows every record and error body of it. */
@Controller()
@UseInterceptors(PaymentsErrorInterceptor)
@ApiDefaultResponse({ type: PaymentsErrorBody })
@ApiExtraModels(CheckoutDto, ...MODELS)
class PaymentsController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly disbursements: DisbursementsService,
    private readonly names: NameLookupService,
    private readonly wallet: WalletService,
    private readonly banks: BanksService,
  ) {}

  @Post('collections/mobile-money')
  @ApiCreatedResponse({ type: CollectionPayment })
  collect(@Body() request: MobileMoneyCollectionDto): Promise<CollectionPayment> {
    return this.collections.mobileMoney(request);
  }

  @Post('collections/partner-wallet')
  @ApiCreatedResponse({ type: CollectionPayment })
  push(@Body() request: PartnerWalletCollectionDto): Promise<CollectionPayment> {
    return this.collections.partnerWallet(request);
  }

  @Post('payouts/bank')
  @ApiCreatedResponse({ type: BankDisbursement })
  toBank(@Body() request: BankDisbursementDto): Promise<BankDisbursement> {
    return this.disbursements.bank(request);
  }

  @Post('payouts/mobile-money')
  @ApiCreatedResponse({ type: MobileMoneyDisbursement })
  toPhone(@Body() request: MobileMoneyDisbursementDto): Promise<MobileMoneyDisbursement> {
    return this.disbursements.mobileMoney(request);
  }

  @Post('lookup')
  @ApiExtraModels(BankNameLookup, MobileMoneyNameLookup, PartnerWalletNameLookup)
  @ApiCreatedResponse({
    schema: {
      oneOf: [BankNameLookup, MobileMoneyNameLookup, PartnerWalletNameLookup].map((type) => ({
        $ref: getSchemaPath(type),
      })),
    },
  })
  lookup(@Body() request: NameLookupDto): Promise<NameLookupResult> {
    return this.names.lookup(request);
  }

  @Get('wallet')
  @ApiOkResponse({ type: WalletBalance })
  balance(): Promise<WalletBalance> {
    return this.wallet.balance();
  }

  @Get('banks')
  @ApiOkResponse({ type: [Bank] })
  list(): Promise<Bank[]> {
    return this.banks.list();
  }
}

export interface SwaggerApp {
  readonly app: INestApplication;
  readonly document: OpenAPIObject;
}

export async function startSwaggerApp(
  adapter: AbstractHttpAdapter,
  options: PaymentsModuleOptions,
): Promise<SwaggerApp> {
  const module = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot(options)],
    controllers: [PaymentsController],
  }).compile();
  const app = module.createNestApplication(adapter, { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  return { app, document: SwaggerModule.createDocument(app, new DocumentBuilder().build()) };
}
