import 'reflect-metadata';
import { IsEmail, IsNotEmpty, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

/** A request class as an application writes it; decorators are functions. */
export class PlainPaymentDto {}

const RULES = {
  amount: [Matches(/^\d{1,13}(\.\d{1,2})?$/)],
  reference: [IsString(), IsNotEmpty(), MaxLength(255)],
  phone: [Matches(/^255\d{9}$/)],
  customer_name: [IsString(), IsNotEmpty()],
  customer_email: [IsEmail()],
  metadata: [IsOptional(), IsObject()],
};
for (const [field, rules] of Object.entries(RULES)) {
  for (const rule of rules) rule(PlainPaymentDto.prototype, field);
}
