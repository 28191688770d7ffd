/** What banks, card processors and wallets write around the name of a merchant. All of it folded. */

const phrases = (text: string): ReadonlyArray<string> =>
  text
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")

/** How a payment was made: says nothing about who was paid. */
const channels = phrases(`
  card, txn, transaction, pos, pos purchase, pos debit, pos transaction, pos auth, pos authorisation, pos authorization, pos refund, purchase,
  purchase at, purchase authorized on, debit card purchase, credit card purchase, card purchase, card payment,
  card payment to, card transaction, check card, checkcard, check card purchase, visa purchase, visa debit, visa,
  mastercard, mastercard debit, maestro, debit card, debit, credit card, contactless, contactless payment, chip purchase,
  recurring payment, recurring card purchase, recurring, pre authorized debit, preauthorized debit, preauthorised debit,
  pending, authorisation, authorization, auth, direct debit, direct debit to, direct debit payment to, dd,
  standing order, standing order to, faster payment, faster payment to, bill payment, bill payment to, bill pay,
  online payment, online transfer, ach, ach debit, ach credit, ach payment, wire transfer, internet transfer,
  eftpos, eftpos purchase, eftpos debit, osko payment, bpay, atm withdrawal, cash withdrawal, withdrawal at
  kartenzahlung, kartenzahlung girocard, girocard, ec kartenzahlung, ec karte, lastschrift, sepa lastschrift,
  sepa basislastschrift, basislastschrift, folgelastschrift, erstlastschrift, dauerauftrag, gutschrift, uberweisung,
  sepa uberweisung, echtzeituberweisung, online uberweisung, zahlung, einkauf, kauf, vorgemerkt, debitkarte,
  zahlung debitkarte, einkauf debitkarte, geldautomat, bargeldauszahlung
  paiement par carte, paiement carte, paiement cb, paiement, achat cb, achat carte, achat, carte, cb, facture carte,
  prelevement, prelevement sepa, prelevement europeen, prlv, prlv sepa, virement, virement sepa, virement instantane,
  vir, vir sepa, vir inst, retrait dab, retrait
  compra, compra en, compra con tarjeta, compra tarjeta, compra internet, pago, pago en, pago con tarjeta, pago tarjeta,
  pago movil, tarjeta, recibo, adeudo, adeudo recibo, domiciliacion, transferencia, transferencia a, bizum
  pagamento, pagamento pos, pagamento carta, pagamento tramite pos, operazione pos, pagobancomat, addebito,
  addebito diretto, addebito sdd, acquisto, acquisto pos, carta, bonifico, bonifico sepa, prelievo, prelievo atm
  compra mb, pagamento de servicos, debito direto, compra cartao, compra com cartao, compra no debito
  betaalautomaat, bea, betaalpas, pinbetaling, geldautomaat, ideal, incasso, sepa incasso, sepa incasso algemeen doorlopend,
  overboeking, sepa overboeking, aankoop, domiciliering, bancontact, betaling, betaling met kaart
  kortkop, kort kop, kopkort, varekop, visa varekop, visa kop, dankort, dankort kob, kob, autogiro, avtalegiro,
  betalingsservice, overforing, overforsel, bankgiro, plusgiro, swish betalning, korttiosto, ostos, suoraveloitus
  platnosc karta, platnosc kartą, zakup przy uzyciu karty, zakup, przelew, blik, platba kartou, platba, nakup, inkaso,
  kartyas vasarlas, vasarlas, plata cu cardul, plata pos
`)

/** Who stands between the payer and the merchant. Where nothing else is said, it is the merchant. */
const processors = phrases(`
  sq, square, gosq, tst, toast, sp, shopify, shop pay, stripe, sumup, zettle, izettle, zettle by paypal, paypal, pp, paypal inst xfer, pypl,
  klarna, afterpay, clearpay, affirm, adyen, mollie, payu, worldpay, viva wallet, viva, nyx, nayax, crv, cke, clover,
  fspr, dnh, gum co, paddle, paddle net, dri, fastspring, lightspeed, ezi, wpy, mpos,
  apple pay, applepay, google pay, googlepay, gpay, samsung pay, amzn mktp, amazon pay, amz payments, venmo, cash app,
  zelle, revolut pay, swish, vipps, mobilepay, twint, bluecode, wero, paylib, lydia, satispay, mb way, przelewy24, dotpay, tpay
`)

interface Step {
  readonly next: Map<string, Step>
  /** A phrase ends here. */
  kind: "channel" | "processor" | undefined
}

const step = (): Step => ({ next: new Map(), kind: undefined })

const root = step()

const plant = (list: ReadonlyArray<string>, kind: Step["kind"]): void => {
  for (const phrase of list) {
    let at = root
    for (const word of phrase.split(" ")) {
      let next = at.next.get(word)
      if (next === undefined) at.next.set(word, (next = step()))
      at = next
    }
    at.kind = kind
  }
}

plant(channels, "channel")
plant(processors, "processor")

/** Finds the longest prefix of a channel or processor that begins at a word; `undefined` where none does. */
export const processorPrefixAt = (
  words: ReadonlyArray<string>,
  from: number
): { readonly words: number; readonly kind: "channel" | "processor" } | undefined => {
  let at: Step | undefined = root
  let found: { readonly words: number; readonly kind: "channel" | "processor" } | undefined
  for (let i = from; i < words.length; i++) {
    at = at.next.get(words[i]!)
    if (at === undefined) break
    if (at.kind !== undefined) found = { words: i - from + 1, kind: at.kind }
  }
  return found
}
