/** Currency codes and their minor units (ISO 4217; decisions 1.3). */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"

declare const CurrencyBrand: unique symbol

/** ISO 4217 in upper case, or `x:<code>` for an unofficial one. */
export type Currency = string & { readonly [CurrencyBrand]: true }

const unofficial = /^x:[A-Za-z0-9._-]{1,20}$/

// Only the exponents that differ from 2 are listed with their digits.
const digitsOf: ReadonlyMap<string, number> = new Map([
  ...[
    "ADP",
    "BEF",
    "BIF",
    "BYB",
    "BYR",
    "CLP",
    "DJF",
    "ESP",
    "GNF",
    "GRD",
    "ISK",
    "ITL",
    "JPY",
    "KMF",
    "KRW",
    "LUF",
    "MGF",
    "PTE",
    "PYG",
    "RWF",
    "TPE",
    "TRL",
    "UGX",
    "UYI",
    "VND",
    "VUV",
    "XAF",
    "XOF",
    "XPF"
  ].map((c) => [c, 0] as const),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((c) => [c, 3] as const),
  ...["CLF", "UYW"].map((c) => [c, 4] as const)
])

const official: ReadonlySet<string> = new Set(
  (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK " +
    "DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK " +
    "LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD " +
    "SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL"
  ).split(" ")
)

// Statements of their time still name them (ISO 4217, list three). Those of one name in two lives are among the others.
const historic: ReadonlySet<string> = new Set(
  (
    "ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BRB BRC BRE BRN BRR BUK BYB BYR CHC CSD CSJ CSK CYP DDM DEM ECS ECV EEK ESA ESB ESP " +
    "FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE GWP HRD IEP ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MWK MXP MZE MZM NIC NLG PEH PEI PEN PES " +
    "PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SRG STD SUR TJR TMM TPE TRL UAK UGS UGW USS UYN UYP VEB VEF VNC XEU XFO XFU YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWN ZWR"
  ).split(" ")
)

/** Accepts either case for official codes; `undefined` for anything that is not a currency. */
export const parse = (text: string): Currency | undefined => {
  const upper = text.toUpperCase()
  if (official.has(upper) || historic.has(upper)) return upper as Currency
  return unofficial.test(text) ? (text as Currency) : undefined
}

/** For literals in code; dies on anything else. */
export const make = (text: string): Currency => {
  const value = parse(text)
  if (value === undefined) throw new RangeError(`not a currency: ${text}`)
  return value
}

/** Digits after the point of the smallest unit: ISO 4217 exponent, 8 for unofficial codes. */
export const minorDigits = (currency: Currency): number =>
  currency.startsWith("x:") ? 8 : (digitsOf.get(currency) ?? 2)

/** An amount as the ledger keeps it: rounded half-even to the minor unit. */
export const toMinorUnit = (amount: Decimal.Decimal, currency: Currency): Decimal.Decimal =>
  Decimal.roundHalfEven(amount, minorDigits(currency))

/** An amount as people read it: `-1500.00 USD`, with the digits of the smallest unit at least. */
export const amountText = (amount: Decimal.Decimal, currency: Currency): string =>
  `${Decimal.padded(amount, minorDigits(currency))} ${currency.startsWith("x:") ? currency.slice(2) : currency}`

export const Currency: Schema.Codec<Currency, string> = Schema.String.pipe(
  Schema.refine((text): text is Currency => parse(text) === text, { expected: "an ISO 4217 currency code" })
)
