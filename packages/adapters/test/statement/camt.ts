/** CAMT messages for tests. */

export interface CamtParts {
  readonly message?: "053" | "052" | "054"
  readonly version?: string
  /** Between the account and the entries. */
  readonly balances?: string
  readonly account?: string
  readonly made?: string
}

const names = {
  "053": ["BkToCstmrStmt", "Stmt"],
  "052": ["BkToCstmrAcctRpt", "Rpt"],
  "054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"]
} as const

export const balance = (type: string, amount: string, day: string, side = "CRDT"): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`

export const account = (iban: string): string => `<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>`

const ownAccount = account("NL91ABNA0417164300")

export const entry = (amount: string, side: "DBIT" | "CRDT", more = "", status = "<Sts>BOOK</Sts>"): string =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd>${status}<BookgDt><Dt>2026-02-03</Dt></BookgDt>${more}</Ntry>`

export const details = (inner: string): string => `<NtryDtls><TxDtls>${inner}</TxDtls></NtryDtls>`

export const statement = (entries: string, parts: CamtParts = {}): string => {
  const [, element] = names[parts.message ?? "053"]
  const made = parts.made ?? "2026-02-05T08:00:00+01:00"
  return `<${element}><Id>1</Id><CreDtTm>${made}</CreDtTm>${parts.account ?? ownAccount}${parts.balances ?? ""}\n${entries}\n</${element}>`
}

export const document = (statements: string, parts: CamtParts = {}): string => {
  const kind = parts.message ?? "053"
  const [message] = names[kind]
  const space = `urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${parts.version ?? "08"}`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${space}">\n<${message}>\n<GrpHdr><MsgId>1</MsgId><CreDtTm>2026-02-05T08:00:00</CreDtTm></GrpHdr>\n${statements}\n</${message}>\n</Document>\n`
}

export const camt = (entries: string, parts: CamtParts = {}): string => document(statement(entries, parts), parts)
