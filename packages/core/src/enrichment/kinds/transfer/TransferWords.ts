/** What banks write about movements between accounts, in the languages that are shipped (enrichments D2.2). */
import { Phrases } from "../../../text/Phrases.ts"
import type { AccountType } from "../../../provider/AccountType.ts"

const list = (text: string): ReadonlyArray<string> =>
  text
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** `transfer`: money is moved. `purchase`, `refund`, `earning`: it is not. */
export type TransferWord = "transfer" | "purchase" | "refund" | "earning"

const transfer = list(`
  transfer, transfers, transferred, xfer, xfr, trf, tfr, trsf, tfer, internal transfer, own account, between accounts, funds transfer,
  account transfer, online transfer, internet transfer, mobile transfer, instant transfer, wire transfer, incoming wire,
  inbound wire, outgoing wire, wire in, wire out, wire sent, wire received, remit, remittance, remit sent, ach transfer, sweep, top up, topup,
  credit card payment, card payment thank you, payment thank you, payment received thank you, thank you for your payment,
  payment received, autopay, auto pay, automatic payment, online payment thank you, cc payment, credit card pmt, crd pmt,
  credit card bill, card bill payment, card autopay, epayment, e payment, loan payment, mortgage payment, loan repayment,
  savings deposit, to savings, from savings, to checking, from checking, round up, roundup, standing order, osko, payid
  umbuchung*, ubertrag, uebertrag, eigenubertrag, uberweisung*, ueberweisung*, kreditkartenabrechnung, kreditkartenzahlung, abrechnung kreditkarte,
  kreditkartenausgleich, ausgleich kreditkarte, einzahlung kreditkarte, dauerauftrag, sparrate, darlehensrate, kreditrate, kontoubertrag, aufladung
  virement*, vir sepa, vir inst, vir compte a compte, transfert, reglement carte, reglement carte de credit, echeance pret, remboursement pret,
  transferencia*, traspaso, trasp, pago tarjeta de credito, pago de tarjeta, liquidacion tarjeta, cuota prestamo, movimiento entre cuentas
  bonifico, giroconto, giro conto, trasferimento, giro fondi, pagamento carta di credito, addebito carta di credito, rata prestito, rata mutuo, ricarica
  overboeking, overschrijving, eigen rekening, spaaropdracht, aflossing, creditcardafrekening, afrekening creditcard, opladen
  transferir, trf sepa, trf imediata, transf, pagamento cartao de credito, pagamento do cartao, prestacao credito
`)

const purchase = list(`
  pos, purchase, pos purchase, card purchase, debit card purchase, credit card purchase, purchase authorized on, eftpos, visa purchase,
  checkcard, contactless, atm withdrawal, cash withdrawal, atm
  kartenzahlung, girocard, einkauf, kauf, geldautomat, bargeldauszahlung
  paiement par carte, paiement carte, achat cb, achat carte, achat, retrait dab, retrait
  compra, compra con tarjeta, compra tarjeta, cajero, reintegro cajero
  pagamento pos, acquisto, acquisto pos, prelievo
  betaalautomaat, pinbetaling, betaalpas, geldautomaat, aankoop
  compra cartao, levantamento
`)

const refund = list(`
  refund, refunds, refunded, merchant credit, purchase return, chargeback
  ruckerstattung, erstattung, ruckzahlung, retoure, remboursement, reembolso, devolucion, abono devolucion, rimborso, storno acquisto, terugbetaling, estorno
`)

const earning = list(`
  salary, payroll, paycheck, wages, direct dep, direct deposit, pension, dividend*, interest, interest paid, interest payment, cashback, cash back,
  rewards, bonus, tax refund, stipend, benefit
  gehalt*, lohn*, rente, zinsen, zinsgutschrift, kapitalertrag, habenzinsen, steuererstattung
  salaire, paie, interets, dividende, retraite, nomina, sueldo, intereses, dividendo*, stipendio, interessi, cedola, salaris, loon, rente bijschrijving, salario, vencimento, juros
`)

export const transferWords = new Phrases<TransferWord>([
  ...transfer.map((phrase) => [phrase, "transfer"] as const),
  ...purchase.map((phrase) => [phrase, "purchase"] as const),
  ...refund.map((phrase) => [phrase, "refund"] as const),
  ...earning.map((phrase) => [phrase, "earning"] as const)
])

type NamedType = "checking" | "savings" | "credit_card" | "loan" | "mortgage" | "investment"

const types: ReadonlyArray<readonly [NamedType, string]> = [
  [
    "checking",
    "checking, chequing, current account, girokonto, compte courant, compte cheques, cuenta corriente, conto corrente, betaalrekening, conta corrente"
  ],
  [
    "savings",
    "savings, saver, sav, tagesgeld*, sparkonto, sparbuch, sparen, epargne, livret, ahorro, ahorros, risparmio, spaarrekening, spaar*, poupanca, " +
      "libretto"
  ],
  [
    "credit_card",
    "credit card, creditcard, credit crd, kreditkarte*, carte de credit, tarjeta de credito, carta di credito, cartao de credito, visa, mastercard, " +
      "amex, american express"
  ],
  ["loan", "loan, kredit, darlehen*, pret, prestamo, prestito, lening, emprestimo"],
  ["mortgage", "mortgage, hypothek*, baufinanzierung, hipoteca, mutuo, hypotheek*"],
  [
    "investment",
    "brokerage, investment*, invest, depot, wertpapier*, broker, bolsa, compte titres, deposito titoli, effecten*"
  ]
]

/** Words that name a type of account. */
export const typeWords = new Phrases<NamedType>(
  types.flatMap(([type, words]) => list(words).map((phrase) => [phrase, type] as const))
)

/** The word by which an account of that type goes. */
export const namedTypeOf = (type: AccountType): NamedType | undefined => {
  switch (type) {
    case "checking":
    case "cash_management":
      return "checking"
    case "savings":
    case "money_market":
    case "cd":
      return "savings"
    case "credit_card":
    case "line_of_credit":
      return "credit_card"
    case "loan":
    case "mortgage":
      return type
    case "investment":
    case "brokerage":
    case "retirement":
    case "crypto":
      return "investment"
    default:
      return undefined
  }
}

/** Words of names of accounts and banks that tell nothing apart. */
export const plainNames: ReadonlySet<string> = new Set(
  (
    "account accounts acct bank banking the my our and of for card cards credit debit cash main primary joint personal private business online direct " +
    "plus premium basic standard classic first new old konto bankkonto giro karte privat compte banque carte cuenta banco tarjeta conto banca carta " +
    "rekening kaart conta cartao eur usd gbp chf aud cad inc plc sa ag nv spa ltd llc group national federal union trust financial"
  ).split(" ")
)

/** Words behind which the other side is named. */
export const pointing: ReadonlySet<string> = new Set(
  "to from an von a de naar van para por da do di vers chez aan zu fur".split(" ")
)

/** Words behind those that name nobody. */
export const nobody: ReadonlySet<string> = new Set(
  (
    "account acct acc a c ac ref reference id no nr number own self me the my on via by date transfer payment card bank banking online mobile internet web app " +
    "la le el los las les il lo der die das den dem het de conta conto cuenta compte konto rekening iban bic bsb sort code jan feb mar apr may jun jul aug sep " +
    "oct nov dec other another"
  ).split(" ")
)
