/** Column names of bank exports in eight languages -> what the column holds. */

export const csvFields = [
  "date",
  "authorizedDate",
  "valueDate",
  "amount",
  "debit",
  "credit",
  "sign",
  "type",
  "description",
  "originalDescription",
  "payee",
  "reference",
  "id",
  "category",
  "balance",
  "currency",
  "account",
  "accountName",
  "status",
  "note"
] as const
export type CsvField = (typeof csvFields)[number]

/** Names are compared without case, accents, blanks and punctuation. The first names of a field win. */
const names: Readonly<Record<CsvField, string>> = {
  date: "bookingdate bookeddate dateposted posteddate postingdate postdate datebooked posted buchungstag buchungsdatum datecomptable datedecomptabilisation dateoperation datedoperation datedeloperation dateope fechaoperacion fechadeoperacion fechacontable foperacion dataoperazione datacontabile dataregistrazione boekdatum boekingsdatum datalancamento datamovimento datamov datadomovimento dataoperacao datadaoperacao completeddate datecompleted date datum fecha data buchung tag transactiondate transdate trxdate transactiedatum datetransaction fechatransaccion datatransacao transaktionsdatum journaldate datetime dateandtime timestamp dateheure created createdat createdon datecreated datecreation",
  authorizedDate:
    "authorizeddate authorizationdate purchasedate starteddate datestarted belegdatum kaufdatum dateachat datedachat fechacompra transactiondate transdate",
  valueDate:
    "valuedate effectivedate wertstellung wertstellungsdatum valutadatum valuta valutastellung datedevaleur datevaleur fechavalor fechadevalor fvalor datavaluta rentedatum datavalor settlementdate",
  amount:
    "amount transactionamount amt netamount amountinaccountcurrency betrag umsatz buchungsbetrag montant montantdeloperation montantoperation importe importo bedrag valor montante quantia value total sum summe",
  debit:
    "debit debits debitamount amountdebit withdrawal withdrawals withdrawalamount withdrawalamt debitamt moneyout paidout out amountout soll belastung belastungen lastschrift debet debito debitos importedebito cargo cargos addebito addebiti uscite dare sortie sorties depense depenses ausgang ausgaben abgang saida saidas gasto gastos pagos spent expense",
  credit:
    "credit credits creditamount amountcredit deposit deposits depositamount depositamt creditamt moneyin paidin in amountin haben gutschrift gutschriften credito creditos importecredito abono abonos accredito accrediti entrate avere entree entrees recette recettes eingang einnahmen zugang entrada entradas ingreso ingresos received income",
  sign: "afbij bijaf sollhaben sh drcr crdr debitcredit creditdebit debitorcredit creditdebitindicator cdtdbtind dc cd sens segno plusminus direction debetcredit debitocredito",
  type: "transactiontype type trantype typedoperation typeoperation tipo tipomovimiento tipooperacion tipodeoperacion tipomovimento tipooperazione umsatzart umsatztyp buchungsart transaktionstyp transaktionsart art typ mutatiesoort soort postingtext code",
  description:
    "description desc descriptions transactiondescription details transactiondetails detail memo narrative narration particulars buchungstext verwendungszweck vwz zahlungsgrund zweck reason purpose paymentreference paymentdetails libelle libelleoperation libelledeloperation motif communication objet concepto descripcion detalle descrizione descrizioneoperazione causale omschrijving mededelingen mededeling descricao historico detalhes descritivo items text buchungsdetails mitteilung additionaldescription additionalinformation remittanceinformation",
  originalDescription: "originaldescription originaltext rawdescription fulldescription",
  payee:
    "payee payeename merchant merchantname partnername name counterparty counterpartyname beneficiary beneficiaryname recipient payer auftraggeberempfanger empfanger beguenstigterzahlungspflichtiger begunstigterzahlungspflichtiger begunstigter beguenstigter zahlungsempfanger zahlungspflichtiger nameauftraggeberempfanger auftraggeber gegenpartei nomdutiers tiers beneficiaire contrepartie beneficiario ordenante naam naamomschrijving naamtegenpartij tegenpartij controparte contraparte storename",
  reference:
    "reference ref referenceno referencenumber referenceid refno checknumber checkno checknum check chequenumber chequeno cheque num customerreference kundenreferenz kundenreferenzendtoend bankreference separeference endtoendid clientreference referenz referencia riferimento kenmerk betalingskenmerk numerodecheque",
  id: "transactionid transactionnumber txid id fitid uniqueid orderid entryid transaktionsid transaktionsnummer ndetransaction numerodetransaction transactieid idtransaccion idtransazione idtransacao buchungsreferenz",
  category: "category categoryname kategorie hauptkategorie categorie categoria rubrik class",
  balance:
    "balance runningbalance balanceafter accountbalance closingbalance ledgerbalance balanceaftertransaction kontostand saldo saldonachbuchung saldonamutatie solde soldeapresoperation saldocontabile saldocontable saldodisponible saldofinal saldodisponivel",
  currency:
    "currency currencycode ccy curr wahrung waehrung kontowahrung devise monn monnaie divisa moneda munt muntsoort moeda valuta transactioncurrency",
  account:
    "accountnumber accountno accountid accountiban account kontonummer auftragskonto ibanauftragskonto konto ibankonto iban compte numerodecompte numerocompte ncompte cuenta numerodecuenta numerocuenta conto numeroconto rekening rekeningnummer ibanbban conta numeroconta cardno cardnumber produit produkt",
  accountName:
    "accountname accounttitle kontoname kontobezeichnung bezeichnungauftragskonto nomducompte nombrecuenta nomeconto nomeconta rekeningnaam",
  status: "status state transactionstatus bookingstatus statut estado stato buchungsstatus situacao",
  note: "notes note comments comment bemerkung bemerkungen notiz notizen commentaire notas"
}

const ranks = new Map<string, Array<readonly [CsvField, number]>>()
for (const field of csvFields) {
  names[field].split(" ").forEach((name, rank) => {
    const known = ranks.get(name)
    if (known === undefined) ranks.set(name, [[field, rank]])
    else if (!known.some(([other]) => other === field)) known.push([field, rank])
  })
}

/** Words that only one language group uses; they decide between day-first and month-first dates. */
const englishOnly =
  /^(?:date|amount|description|debit|credit|balance|currency|account|type|category|status|.*date|.*amount)$/

/** Longer cells name no column. */
const maxHeaderLength = 200

export const normaliseHeader = (text: string): string =>
  text.length > maxHeaderLength
    ? ""
    : text
        .normalize("NFD")
        .toLowerCase()
        .replaceAll("ß", "ss")
        .replace(/[^\p{L}\p{N}]/gu, "")

const unit = /(?:[([]\s*|\b(?:in|en|em)?\s*)(?:([A-Z]{3})|(€|euros?|\$|£))\s*[)\]]?\s*$/

/** A column name without a currency behind it, and that currency: `Amount (EUR)`, `Betrag in EUR`. */
export const splitUnit = (header: string): readonly [name: string, currency: string | undefined] => {
  const match = unit.exec(header)
  if (match === null || match.index === 0) return [header, undefined]
  const sign = match[2]
  return [header.slice(0, match.index), match[1] ?? (sign === "£" ? "GBP" : sign === "$" ? undefined : "EUR")]
}

/** What a column name may stand for, with the rank of the name in each field (lower is better). */
export const fieldsOf = (header: string): ReadonlyArray<readonly [CsvField, number]> => {
  const whole = normaliseHeader(header)
  if (whole === "") return []
  const exact = ranks.get(whole)
  if (exact !== undefined) return exact
  const numbered = /^(.*?)\d{1,2}$/.exec(whole)
  if (numbered !== null) {
    const base = ranks.get(numbered[1]!)?.filter(([field]) => field === "description")
    if (base !== undefined && base.length > 0) return base
  }
  const [name] = splitUnit(header)
  return name === header ? [] : (ranks.get(normaliseHeader(name)) ?? [])
}

export const isEnglish = (headers: ReadonlyArray<string>): boolean =>
  headers.some((header) => englishOnly.test(normaliseHeader(splitUnit(header)[0])))
