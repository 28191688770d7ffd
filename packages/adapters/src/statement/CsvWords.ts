/** Words inside the cells of bank exports: sides, states, kinds of movement, summary lines. */
import type { AccountType } from "@millrace/core/provider"
import type { TransactionType } from "@millrace/core/record"
import { normaliseHeader } from "./CsvHeaders.ts"

const outgoing = new Set(
  "debit debits dr db d withdrawal withdraw out outgoing outflow moneyout soll s af dare debito debet cargo uscita sortie lastschrift belastung ausgang expense sent salida saida buy bought kauf achat compra acquisto".split(
    " "
  )
)
const incoming = new Set(
  "credit credits cr c deposit in incoming inflow moneyin haben h bij avere credito abono entrata entree gutschrift eingang income received kredit entrada sell sold verkauf vente venta vendita".split(
    " "
  )
)

/** The side of a movement that a word such as `debit` or `Haben` names; 0 for any other word. */
export const signOf = (text: string): -1 | 0 | 1 => {
  if (text === "-") return -1
  if (text === "+") return 1
  const word = normaliseHeader(text)
  return outgoing.has(word) ? -1 : incoming.has(word) ? 1 : 0
}

const cardWords = /\b(?:credit|debit)[\s_-]*cards?\b|\bcredit[\s_-]*(?:union|voucher|transfer)\b/gi
const sideWords = /[\p{L}]+/gu
const statedSides: ReadonlyMap<string, -1 | 1> = new Map([
  ...[
    "debit",
    "debits",
    "withdrawal",
    "soll",
    "debito",
    "debet",
    "addebito",
    "lastschrift",
    "outgoing",
    "sent",
    "belastung",
    "cargo"
  ].map((word) => [word, -1] as const),
  ...[
    "credit",
    "credits",
    "deposit",
    "haben",
    "credito",
    "abono",
    "accredito",
    "gutschrift",
    "incoming",
    "received"
  ].map((word) => [word, 1] as const)
])

/** The side that a bank's word for a kind of movement states in so many words: `ACH_DEBIT`, `Direct deposit`. */
export const directionOf = (text: string): -1 | 0 | 1 => {
  const exact = signOf(text)
  if (exact !== 0 || text.length > 60) return exact
  let side: -1 | 0 | 1 = 0
  for (const [word] of text.replace(cardWords, " ").matchAll(sideWords)) {
    const own = statedSides.get(normaliseHeader(word))
    if (own === undefined) continue
    if (side !== 0 && side !== own) return 0
    side = own
  }
  return side
}

const leavingKinds =
  /\b(?:purchases?|sale|withdrawals?|atm|fees?|charged?|finance\s+charge|direct\s*debit|debit\s+card|card\s+payment|bill\s*pay|payment\s+to|sent|kartenzahlung|lastschrift|bargeldauszahlung|dauerauftrag|entgelt|miete|achat|retrait|pr[eé]l[eè]vement|frais|paiement\s+par\s+carte|compra|recibo|comisi[oó]n|reintegro|acquisto|prelievo|commissioni|addebito|betaalautomaat|incasso|pagamento|zakup|wyp[lł]ata|op[lł]ata|n[aá]kup|v[yý]b[eě]r|poplatek)\b/i
const comingKinds =
  /\b(?:refund(?:ed)?|returns?|reversal|cash\s*back|payment\s*(?:received|[-,]?\s*thank)|thank\s+you|autopay|salary|payroll|wages|direct\s*deposit|deposits?|interest\s+(?:paid|earned|credit)|dividend|gehalt|lohn|gutschrift|erstattung|salaire|remboursement|virement\s+re[cç]u|n[oó]mina|ingreso|abono|devoluci[oó]n|stipendio|accredito|rimborso|salaris|terugbetaling|sal[aá]rio|reembolso|wynagrodzenie|wp[lł]ata|zwrot|v[yý]plata|mzda)\b/i

/** Money that was received comes in, whatever it is called. */
const receivedWords =
  /\b(?:received|erhalten|re[cç]ue?s?|recibid[oa]s?|recebid[oa]s?|ricevut[oaie]|ontvangen|otrzyman[yeao]|p[rř]ijat[aáeé]|mottage[nt]|modtaget)(?![\p{L}])/iu

const cardPaymentWords =
  /\bthank\s*you\b|\bautopay\b|\bpayment\s*[-,]?\s*received\b|\bpagamento\s+recebido\b|\bpago\s+recibido\b|\bzahlung\s+erhalten\b|\bpaiement\s+re[cç]u|\bbetaling\s+ontvangen\b|\bpagamento\s+ricevuto\b/iu

/** What issuers of cards call the payment of what is owed. */
export const isCardPayment = (text: string): boolean => cardPaymentWords.test(text)

/** Characters of a text that are searched for words. */
export const maxKind = 400

/** The side that a kind of movement usually has; 0 where the text names none, or both. */
export const kindDirectionOf = (text: string): -1 | 0 | 1 => {
  const some = text.length > maxKind ? text.slice(0, maxKind) : text
  if (receivedWords.test(some)) return 1
  const leaves = leavingKinds.test(some)
  return leaves === comingKinds.test(some) ? 0 : leaves ? -1 : 1
}

const pendingWords =
  /\b(?:pending|processing|authori[sz]ed|uncleared|not\s+posted|reserved|vorgemerkt|vormerkung|ausstehend|en\s+attente|a\s+venir|pendiente|retenido|in\s+sospeso|non\s+contabilizzato|in\s+behandeling|gereserveerd|pendente)\b/i

export const isPending = (text: string): boolean => pendingWords.test(text)

const voidWords =
  /\b(?:cancell?ed|declined|failed|rejected|reverted|voided?|storniert|abgelehnt|annul[eé]e?|refus[eé]e?|anulad[oa]|rechazad[oa]|annullat[oa]|rifiutat[oa]|geannuleerd|geweigerd|cancelad[oa]|recusad[oa])\b/i

/** A movement that never took place. */
export const isVoid = (text: string): boolean => voidWords.test(text)

const kinds: ReadonlyArray<readonly [RegExp, incoming: TransactionType, outgoing: TransactionType]> = [
  [/\batm\b|cash\s*withdrawal|geldautomat|bargeld|retrait|cajero|prelievo|geldautomaat|levantamento/i, "ATM", "ATM"],
  [/che(?:ck|que)|scheck|assegno|\bcheque/i, "CHECK", "CHECK"],
  [/\binterest|\bzins|int[eé]r[eê]ts?\b|interes(?:es|si)?\b|\brente\b|\bjuros\b/i, "INTEREST", "INTEREST"],
  [/\bfees?\b|\bcharges?\b|geb[uü]hr|entgelt|\bfrais\b|comisi[oó]n|commission|kosten|comiss/i, "REFUND", "FEE"],
  [/refund|reversal|r[uü]ckerstattung|remboursement|reembolso|rimborso|terugbetaling|erstattung/i, "REFUND", "REFUND"],
  [
    /direct\s*debit|lastschrift|pr[eé]l[eè]vement|incasso|domiciliaci|adeudo|addebito\s+diretto/i,
    "REFUND",
    "DIRECT_DEBIT"
  ],
  [/direct\s*(?:deposit|credit)|payroll|salary|gehalt|gutschrift|\blohn\b/i, "DIRECT_CREDIT", "DIRECT_CREDIT"],
  [/\bcard\b|\bpos\b|karte|\bcarte\b|tarjeta|\bcarta\b|betaalautomaat|cart[aã]o|purchase/i, "REFUND", "CARD"],
  [
    /transfer|xfer|[uü]berweisung|virement|transferencia|traspaso|bonifico|overschrijving|overboeking|dauerauftrag|\bach\b|wire/i,
    "TRANSFER_INCOMING",
    "TRANSFER_OUTGOING"
  ],
  [/payment|zahlung|paiement|pago|pagamento|betaling/i, "PAYMENT", "PAYMENT"]
]

/** Transaction types of a bank's own word for a kind of movement, by direction. */
export const kindOf = (text: string): readonly [incoming: TransactionType, outgoing: TransactionType] => {
  for (const [pattern, whenIncoming, whenOutgoing] of kinds) if (pattern.test(text)) return [whenIncoming, whenOutgoing]
  return ["OTHER", "OTHER"]
}

const accountKinds: ReadonlyArray<readonly [RegExp, AccountType]> = [
  [/credit\s*card|kreditkarte|carte\s+de\s+cr|tarjeta\s+de\s+cr|mastercard|\bvisa\b|amex/i, "credit_card"],
  [/saving|sparkonto|tagesgeld|[eé]pargne|livret|ahorro|risparmio|spaar|poupan/i, "savings"],
  [
    /checking|current\s+account|girokonto|compte\s+courant|cuenta\s+corriente|conto\s+corrente|betaalrekening|conta\s+corrente/i,
    "checking"
  ],
  [/money\s*market/i, "money_market"]
]

/** Account type that the name of an account tells, `unknown` when it tells none. */
export const accountTypeOf = (name: string): AccountType =>
  accountKinds.find(([pattern]) => pattern.test(name))?.[1] ?? "unknown"
