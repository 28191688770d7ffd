/** What banks call what they charge, in the languages that are shipped (enrichments C9). */
import { Phrases } from "../../../text/Phrases.ts"

/** In the order in which the first of several that are as likely is taken. */
export const feeKinds = [
  "maintenance",
  "atm",
  "overdraft",
  "nsf",
  "fx",
  "wire",
  "late",
  "interest",
  "brokerage",
  "other"
] as const
export type FeeKind = (typeof feeKinds)[number]

export const feeLocales = ["en", "de", "fr", "es", "it", "nl", "pt"] as const
export type FeeLocale = (typeof feeLocales)[number]

/** A kind: its whole phrase. `weak`: a word that may mean a fee. `never`: a fee that no bank charges. The rest tell causes. */
export type FeeWord = FeeKind | "weak" | "never" | "cash" | "wired" | "returned"

type Lexicon = Partial<Readonly<Record<FeeWord, string>>>

const lexicons: Readonly<Record<FeeLocale, Lexicon>> = {
  en: {
    maintenance:
      "monthly service charge, monthly service fee, monthly maintenance fee, maintenance fee, account fee, account keeping fee, service charge, service fee, monthly fee, " +
      "annual fee, annual card fee, card fee, account maintenance, monthly account fee, membership fee card, annual membership fee, inactivity fee, dormancy fee, paper statement fee, statement fee",
    atm: "atm fee, atm withdrawal fee, atm surcharge, atm operator fee, non network atm fee, cash withdrawal fee, cash advance fee, out of network fee, atm service charge",
    overdraft:
      "overdraft fee, overdraft charge, overdraft item fee, od fee, arranged overdraft fee, unarranged overdraft fee, overdrawn fee, extended overdraft fee, overdraft interest fee",
    nsf: "nsf fee, insufficient funds fee, returned item fee, returned payment fee, returned check fee, returned cheque fee, dishonour fee, unpaid item fee, bounced check fee, non sufficient funds fee",
    fx: "foreign transaction fee, international transaction fee, foreign exchange fee, currency conversion fee, non sterling transaction fee, foreign currency fee, fx fee, intl transaction fee, international fee, conversion fee, foreign purchase fee, cross border fee",
    wire: "wire fee, wire transfer fee, outgoing wire fee, incoming wire fee, international wire fee, domestic wire fee, transfer fee, telegraphic transfer fee, chaps fee, swift fee, remittance fee",
    late: "late fee, late payment fee, late charge, late payment charge, past due fee",
    interest:
      "interest charge, interest charged, interest charge on purchases, purchase interest, interest on purchases, debit interest, overdraft interest, finance charge, interest debit, cash advance interest",
    brokerage:
      "brokerage fee, brokerage, commission fee, trading fee, custody fee, trade commission, platform fee, management fee broker",
    other:
      "bank fee, bank charge, bank charges, stop payment fee, replacement card fee, card replacement fee, account closing fee, expedited delivery fee, handling fee, processing fee",
    weak: "fee, fees, charge, charges, surcharge, commission, penalty",
    never:
      "school fee, school fees, tuition, tuition fee, entry fee, entrance fee, registration fee, freight charge, free, fee free, no fee, refund, parking fee, gym fee, membership, license fee, " +
      "licence fee, delivery fee, booking fee, course fee, legal fees, water charges, electricity charges, council charge, congestion charge, daycare fee, club fee, exam fee, application fee, agency fee, charge point, charging, coffee",
    cash: "atm, atm withdrawal, cash withdrawal, withdrawal, cash machine, cash advance, cashpoint",
    wired:
      "wire, wire transfer, outgoing wire, incoming wire, international transfer, swift, telegraphic transfer, chaps",
    returned: "returned, unpaid, dishonoured, nsf, insufficient funds, bounced, returned payment"
  },
  de: {
    maintenance:
      "kontofuhrung*, kontofuehrung*, grundgebuhr konto, kontogebuhr*, kartengebuhr*, jahresgebuhr karte, jahresgebuhr, kartenpreis, kontopauschale, monatspauschale konto, abschlussgebuhr, entgeltabschluss, rechnungsabschluss entgelte, kontoauszugsgebuhr, depotgebuhr konto",
    atm: "geldautomatengebuhr*, automatengebuhr, bargeldgebuhr, abhebegebuhr, bargeldentgelt, entgelt bargeldauszahlung, gebuhr geldautomat, gebuhr bargeldauszahlung, abhebungsgebuhr",
    overdraft: "uberziehungsgebuhr, uberziehungsentgelt, uberziehungsprovision, gebuhr uberziehung",
    nsf: "rucklastschriftgebuhr, rucklastschriftentgelt, entgelt rucklastschrift, gebuhr rucklastschrift, rucklastschriftkosten",
    fx: "auslandseinsatzentgelt, auslandseinsatzgebuhr, fremdwahrungsentgelt, fremdwahrungsgebuhr, wahrungsumrechnungsentgelt, auslandsentgelt, gebuhr fremdwahrung, auslandsgebuhr, entgelt auslandseinsatz",
    wire: "auslandsuberweisung gebuhr, uberweisungsgebuhr, uberweisungsentgelt, gebuhr auslandsuberweisung, entgelt auslandsuberweisung, swift gebuhr, eiluberweisung gebuhr",
    late: "mahngebuhr*, verzugsgebuhr, mahnentgelt, verspatungsgebuhr, saumnisgebuhr",
    interest:
      "sollzinsen, uberziehungszinsen, dispozinsen, dispositionszinsen, verzugszinsen, zinsbelastung, kreditzinsen, zinsen soll",
    brokerage:
      "orderprovision, ordergebuhr*, depotgebuhr*, transaktionsentgelt, depotentgelt, handelsplatzgebuhr, borsengebuhr",
    other: "bankgebuhr*, bankentgelt*, ersatzkarte gebuhr, ersatzkartengebuhr, bearbeitungsgebuhr bank, bankspesen",
    weak: "gebuhr*, gebuehr*, entgelt*, spesen, provision, kosten",
    never:
      "kursgebuhr, schulgebuhr*, studiengebuhr*, rundfunkgebuhr, kitagebuhr, mullgebuhr*, parkgebuhr*, anmeldegebuhr, gebuhrenfrei, kostenlos, eintritt, versandkosten, lieferkosten, mietnebenkosten, teilnahmegebuhr, startgebuhr, leihgebuhr",
    cash: "geldautomat, bargeldauszahlung, barabhebung, abhebung, auszahlung",
    wired: "auslandsuberweisung, eiluberweisung, swift",
    returned: "rucklastschrift, ruckgabe, nicht eingelost"
  },
  fr: {
    maintenance:
      "frais de tenue de compte, frais tenue de compte, tenue de compte, cotisation carte, cotisation mensuelle, cotisation annuelle carte, frais de gestion compte, abonnement compte, cotisation compte, cotisation offre",
    atm: "frais de retrait, frais retrait, frais retrait dab, commission retrait, frais retrait distributeur, commission sur retrait",
    overdraft:
      "commission d intervention, frais de decouvert, frais decouvert, commission intervention, frais de depassement",
    nsf: "frais de rejet, frais rejet prelevement, frais rejet, rejet de prelevement frais, frais impaye, frais cheque impaye, frais pour rejet",
    fx: "commission de change, frais de change, commission sur achat etranger, frais operation etranger, frais paiement etranger, commission paiement hors zone euro, frais hors zone euro, commission etranger",
    wire: "frais de virement, frais virement, frais virement international, commission virement, frais transfert",
    late: "frais de retard, penalite de retard, indemnite de retard, frais de relance",
    interest: "agios, interets debiteurs, interets decouvert, interets de retard",
    brokerage: "droits de garde, frais de courtage, courtage, frais de bourse",
    other: "frais bancaires, frais divers banque, frais de dossier banque, frais opposition carte",
    weak: "frais, commission*, cotisation, penalite",
    never:
      "frais de scolarite, frais d inscription, frais de port, frais de livraison, gratuit, sans frais, frais medicaux, cotisation sociale, cotisation urssaf, cotisation mutuelle, frais de garde enfant, cotisation club",
    cash: "retrait, retrait dab, retrait especes, distributeur",
    wired: "virement international, virement etranger, swift",
    returned: "rejet, rejet prelevement, impaye"
  },
  es: {
    maintenance:
      "comision de mantenimiento, comision mantenimiento, mantenimiento de cuenta, cuota tarjeta, cuota anual tarjeta, comision administracion, cuota mensual cuenta, comision de administracion",
    atm: "comision cajero, comision por retirada, comision retirada efectivo, comision disposicion efectivo, comision reintegro",
    overdraft: "comision por descubierto, comision descubierto, comision de descubierto",
    nsf: "comision devolucion recibo, comision por devolucion, comision devolucion, gastos devolucion, comision impago",
    fx: "comision cambio divisa, comision por cambio, comision divisa, comision moneda extranjera, comision compra extranjero, comision operacion extranjero",
    wire: "comision transferencia, comision por transferencia, gastos transferencia, comision transferencia internacional, comision swift",
    late: "recargo por demora, comision por mora, comision reclamacion posiciones deudoras, recargo mora",
    interest:
      "intereses deudores, intereses descubierto, intereses de demora, liquidacion intereses deudores, intereses aplazamiento",
    brokerage:
      "comision de custodia, comision custodia valores, corretaje, comision bolsa, comision compraventa valores",
    other: "gastos bancarios, comision bancaria, comisiones bancarias, gastos de correo banco",
    weak: "comision*, gastos, recargo, tarifa",
    never:
      "cuota colegio, matricula, gastos de envio, gratis, sin comision, gastos comunidad, tasa universitaria, inscripcion, gastos escolares",
    cash: "cajero, retirada efectivo, reintegro, disposicion efectivo, retirada cajero",
    wired: "transferencia internacional, transferencia extranjero, swift",
    returned: "devolucion recibo, recibo devuelto, impagado"
  },
  it: {
    maintenance:
      "canone mensile, canone conto, canone annuo carta, spese tenuta conto, spese di tenuta conto, canone carta, spese gestione conto, canone mensile conto, canone annuo",
    atm: "commissione prelievo, commissioni prelievo, commissione atm, commissione su prelievo",
    overdraft:
      "commissione istruttoria veloce, commissione scoperto, commissione massimo scoperto, commissione sconfinamento",
    nsf: "commissione insoluto, spese insoluto, commissione rid insoluto, spese per insoluto, commissione addebito insoluto",
    fx: "commissione cambio, commissione valuta estera, commissione estero, maggiorazione cambio, commissione su acquisto estero, commissione conversione",
    wire: "commissione bonifico, commissioni bonifico, spese bonifico, commissione bonifico estero",
    late: "penale ritardo, spese di sollecito, interessi e spese mora, commissione ritardato pagamento",
    interest: "interessi passivi, interessi debitori, interessi di mora, interessi scoperto",
    brokerage: "commissione titoli, diritti di custodia, spese deposito titoli, commissione negoziazione",
    other: "spese bancarie, commissioni bancarie, commissione bancaria, spese invio estratto conto",
    weak: "commissione, commissioni, spese, canone, penale",
    never:
      "retta scolastica, tasse universitarie, spese condominiali, spese di spedizione, gratuito, senza commissioni, iscrizione, canone rai, canone affitto, spese mediche",
    cash: "prelievo, prelievo atm, bancomat prelievo, prelevamento",
    wired: "bonifico estero, bonifico internazionale, swift",
    returned: "insoluto, storno insoluto"
  },
  nl: {
    maintenance:
      "kosten betaalpakket, kosten rekening, kosten betaalrekening, kosten pakket, jaarlijkse bijdrage kaart, kaartkosten, rekeningkosten, kosten basispakket, maandelijkse kosten rekening, bankpakket kosten",
    atm: "kosten geldopname, kosten geldautomaat, opnamekosten, kosten opname",
    overdraft: "kosten roodstand, kosten rood staan, debetkosten, kosten ongeoorloofde roodstand",
    nsf: "kosten storno, stornokosten, storneringskosten, kosten geweigerde incasso",
    fx: "koersopslag, kosten vreemde valuta, wisselkosten, valutakosten, kosten betaling buitenland, kosten valutawissel",
    wire: "kosten overboeking, kosten buitenland overboeking, kosten spoedoverboeking, kosten wereldbetaling",
    late: "aanmaningskosten, kosten aanmaning, boete te laat, herinneringskosten",
    interest: "debetrente, rente roodstand, rente krediet, verschuldigde rente",
    brokerage: "bewaarloon, transactiekosten effecten, kosten effecten, servicekosten beleggen",
    other: "bankkosten, kosten vervangende pas, administratiekosten bank",
    weak: "kosten, provisie, toeslag, vergoeding, boete",
    never:
      "schoolgeld, collegegeld, verzendkosten, bezorgkosten, gratis, zonder kosten, inschrijfgeld, parkeerkosten, servicekosten huur, reiskosten, onkostenvergoeding",
    cash: "geldopname, geldautomaat, opname, kasopname",
    wired: "wereldbetaling, buitenland overboeking, spoedoverboeking, swift",
    returned: "storno, stornering, geweigerd"
  },
  pt: {
    maintenance:
      "comissao manutencao, comissao de manutencao, manutencao de conta, anuidade cartao, comissao gestao conta, anuidade do cartao, despesas de manutencao, comissao manutencao conta",
    atm: "comissao levantamento, comissao de levantamento, tarifa saque, comissao cash advance",
    overdraft: "comissao descoberto, comissao por descoberto, comissao ultrapassagem",
    nsf: "comissao devolucao, comissao debito devolvido, comissao cheque devolvido, comissao por devolucao",
    fx: "comissao cambio, comissao moeda estrangeira, comissao de conversao, iof compra exterior, comissao transacao internacional, comissao compra estrangeiro",
    wire: "comissao transferencia, comissao de transferencia, tarifa ted, tarifa transferencia, comissao swift",
    late: "multa por atraso, comissao recuperacao, juros de mora e multa, encargo por atraso",
    interest: "juros devedores, juros descoberto, juros de mora, juros rotativo, encargos de financiamento",
    brokerage: "taxa de corretagem, comissao de custodia, corretagem, comissao guarda titulos, taxa custodia",
    other: "despesas bancarias, tarifa bancaria, comissoes bancarias, cesta de servicos",
    weak: "comissao, comissoes, tarifa, taxa, encargos, despesas, multa",
    never:
      "propina, taxa de matricula, portes de envio, gratis, isento, taxa de lixo, taxa de condominio, inscricao, propinas escolares, taxa moderadora",
    cash: "levantamento, saque, levantamento multibanco",
    wired: "transferencia internacional, swift",
    returned: "devolucao debito, debito devolvido, cheque devolvido"
  }
}

const known = new Map<string, Phrases<FeeWord>>()

/** The words of some languages. */
export const feeWords = (locales: ReadonlyArray<FeeLocale>): Phrases<FeeWord> => {
  const key = [...new Set(locales)].toSorted().join(" ")
  let phrases = known.get(key)
  if (phrases === undefined) {
    const entries = key.split(" ").flatMap((locale) =>
      Object.entries(lexicons[locale as FeeLocale]).flatMap(([word, text]) =>
        text
          .split(",")
          .map((phrase) => phrase.trim())
          .filter((phrase) => phrase !== "")
          .map((phrase) => [phrase, word as FeeWord] as const)
      )
    )
    phrases = new Phrases(entries)
    known.set(key, phrases)
  }
  return phrases
}
