/** What digests are about: for each data type which facts there are, when a record counts, and what people call it all. */
import type { DataType } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { DigestSection } from "./DigestConfig.ts"
import type { DigestFact, Measured, Measuring } from "./DigestFact.ts"
import {
  balanceFacts,
  billFacts,
  documentFacts,
  holdingFacts,
  loanFacts,
  orderFacts,
  tradeFacts
} from "./OtherFacts.ts"
import type { SetRecord } from "../SetKind.ts"
import { transactionFacts, transactionFields } from "./TransactionFacts.ts"

/** A sum that is reported first: `flow:<subject>`. */
export interface FlowLine {
  readonly subject: string
  readonly label: string
  readonly unit: DigestFact["unit"]
}

export interface DigestSubject {
  /** A field that records of no other data type have. */
  readonly mark: string
  /** `dated`: a record belongs to the period of its day. `standing`: all that there are count, as they are when a period is closed. */
  readonly manner: "dated" | "standing"
  readonly reads: ReadonlyArray<string>
  readonly measure: (records: ReadonlyArray<SetRecord>, measuring: Measuring) => Measured
  /** Sections that there is anything of. */
  readonly sections: ReadonlySet<DigestSection>
  readonly flow: ReadonlyArray<FlowLine>
  /** After the name of the digest; `{spending}` stands for that sum. */
  readonly title: string
  /** Headings that are others than those of transactions. */
  readonly headings?: Readonly<Partial<Record<DigestSection, string>>>
}

const money = (subject: string, label: string): FlowLine => ({ subject, label, unit: "money" })
const sectionsOf = (...sections: ReadonlyArray<DigestSection>): ReadonlySet<DigestSection> =>
  new Set<DigestSection>(["flow", "categories", "merchants", "dataQuality", ...sections])

const subjects: Readonly<Record<DataType, DigestSubject>> = {
  transactions: {
    mark: "creditAmount",
    manner: "dated",
    reads: transactionFields,
    measure: transactionFacts,
    sections: sectionsOf("recurring", "fees", "anomalies", "budgets", "transfers"),
    flow: [money("income", "Came in"), money("spending", "Went out"), money("net", "Left over")],
    title: "{spending} out, {income} in"
  },
  trades: {
    mark: "settlementDate",
    manner: "dated",
    reads: ["date", "type", "ticker", "securityName", "amount", "fees", "currency"],
    measure: tradeFacts,
    sections: sectionsOf("fees"),
    flow: [money("income", "Came in"), money("spending", "Went out"), money("net", "Left over")],
    title: "{spending} out, {income} in",
    headings: { categories: "By kind of trade", merchants: "By security" }
  },
  receipts: {
    mark: "paymentMethod",
    manner: "dated",
    reads: ["date", "merchantName", "totalAmount", "currency", "category", "anomaly.kinds"],
    measure: billFacts("merchantName", "category"),
    sections: sectionsOf("anomalies"),
    flow: [money("spending", "Paid")],
    title: "{spending} paid"
  },
  invoices: {
    mark: "supplierName",
    manner: "dated",
    reads: ["date", "supplierName", "totalAmount", "currency", "status", "anomaly.kinds"],
    measure: billFacts("supplierName", "status"),
    sections: sectionsOf("anomalies"),
    flow: [money("spending", "Invoiced")],
    title: "{spending} invoiced",
    headings: { categories: "By state", merchants: "By supplier" }
  },
  documents: {
    mark: "documentType",
    manner: "dated",
    reads: ["date", "documentType", "sender"],
    measure: documentFacts,
    sections: sectionsOf(),
    flow: [{ subject: "count", label: "Documents", unit: "count" }],
    title: "documents: {count}",
    headings: { categories: "By kind", merchants: "By sender" }
  },
  orders: {
    mark: "brokerageOrderId",
    manner: "standing",
    reads: ["action", "ticker", "security"],
    measure: orderFacts,
    sections: sectionsOf(),
    flow: [{ subject: "count", label: "Open orders", unit: "count" }],
    title: "open orders: {count}",
    headings: { categories: "By action", merchants: "By security" }
  },
  balances: {
    mark: "availableBalance",
    manner: "standing",
    reads: ["amount", "currency", "accountType", "accountName"],
    measure: balanceFacts,
    sections: sectionsOf(),
    flow: [money("owned", "In your accounts"), money("owed", "Owed"), money("net", "Together")],
    title: "{net} in all",
    headings: { categories: "By kind of account", merchants: "By account" }
  },
  holdings: {
    mark: "costBasis",
    manner: "standing",
    reads: ["ticker", "securityName", "currentValue", "costBasis", "currency", "isCashEquivalent"],
    measure: holdingFacts,
    sections: sectionsOf(),
    flow: [money("net", "Worth"), money("gain", "More than they have cost")],
    title: "holdings are worth {net}",
    headings: { categories: "Securities and cash", merchants: "By security" }
  },
  loans: {
    mark: "principalBalance",
    manner: "standing",
    reads: ["loanType", "principalBalance", "nextPaymentAmount", "isOverdue", "currency"],
    measure: loanFacts,
    sections: new Set<DigestSection>(["flow", "categories", "anomalies", "dataQuality"]),
    flow: [money("owed", "Owed"), money("due", "Due next")],
    title: "{owed} owed",
    headings: { categories: "By kind of loan" }
  }
}

export const digestSubject = (dataType: DataType): DigestSubject => subjects[dataType]

/** What records with these fields are; those of feeds with fields of their own have more. */
export const subjectIn = (catalog: FieldCatalog): DigestSubject =>
  Object.values(subjects).find(({ mark }) => catalog.has(mark)) ?? subjects.transactions
