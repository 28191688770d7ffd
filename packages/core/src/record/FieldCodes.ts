/**
 * Single characters that stand for the names of source fields where rows are stored: names repeat in every row of a feed, and
 * took 190 bytes in one of a table. Other names are stored as they are.
 *
 * Rows of earlier versions have names throughout and stay so: whoever reads looks for the code first and then for the name.
 */
import { blankOf } from "./BlankFields.ts"
import { ofForms } from "./FieldForms.ts"
import type { FieldValue } from "./FieldValue.ts"

/** Stored rows have them, so a code never gets another name; more follow at the end. No key of a field looks like one. */
const codes: Readonly<Record<string, string>> = {
  // Those of transactions in the order in which `jsonb` would have their names: cells keep it.
  A: "id",
  B: "bank",
  C: "date",
  D: "type",
  E: "amount",
  F: "bankId",
  G: "account",
  H: "pending",
  I: "category",
  J: "currency",
  K: "accountId",
  L: "reference",
  M: "accountName",
  N: "accountType",
  O: "debitAmount",
  P: "description",
  Q: "creditAmount",
  R: "merchantName",
  S: "accountNumber",
  T: "authorizedDate",
  U: "originalDescription",
  V: "pendingTransactionId",
  W: "availableBalance",
  X: "pendingBalance",
  Y: "limit",
  Z: "settlementDate",
  "!": "securityName",
  "#": "securityId",
  $: "ticker",
  "%": "quantity",
  "&": "price",
  "(": "fees",
  ")": "costBasis",
  "*": "currentValue",
  "+": "currentPrice",
  ",": "isCashEquivalent",
  "-": "asOf",
  ".": "brokerageOrderId",
  "/": "status",
  ":": "action",
  ";": "orderType",
  "<": "timeInForce",
  "=": "totalQuantity",
  ">": "filledQuantity",
  "?": "openQuantity",
  "@": "canceledQuantity",
  "[": "limitPrice",
  "]": "stopPrice",
  "^": "trailingStop",
  "`": "executionPrice",
  "{": "security",
  "|": "executedAt",
  "}": "expiresAt",
  "~": "loanType",
  À: "principalBalance",
  Á: "originationPrincipalAmount",
  Â: "interestRatePercentage",
  Ã: "nextPaymentAmount",
  Ä: "nextPaymentDueDate",
  Å: "maturityDate",
  Æ: "isOverdue",
  Ç: "lastPaymentAmount",
  È: "lastPaymentDate",
  É: "totalAmount",
  Ê: "taxAmount",
  Ë: "paymentMethod",
  Ì: "fileName",
  Í: "receivedAt",
  Î: "sender",
  Ï: "itemName",
  Ð: "itemQuantity",
  Ñ: "itemUnitPrice",
  Ò: "itemAmount",
  Ó: "dueDate",
  Ô: "supplierName",
  Õ: "customerName",
  Ö: "invoiceNumber",
  Ø: "subtotalAmount",
  Ù: "purchaseOrder",
  Ú: "title",
  Û: "documentType",
  Ü: "summary",
  Ý: "contentType"
}

const nameOf = new Map(Object.entries(codes))
const codeOf = new Map(Object.entries(codes).map(([code, name]) => [name, code]))

/** The code of a name, if it has one. */
export const fieldCode = (name: string): string | undefined => codeOf.get(name)

/** The name that a code stands for. */
export const fieldName = (code: string): string | undefined => nameOf.get(code)

/** What a cell is stored under. */
export const storedKey = (name: string): string => codeOf.get(name) ?? name

const renaming = (rename: (key: string) => string) => {
  const formOf = ofForms((keys) => {
    const names = keys.map(rename)
    return { keys, names, blank: blankOf(names) }
  })
  return <Value>(cells: Readonly<Record<string, Value>>): Record<string, Value> => {
    const { blank, keys, names } = formOf(cells)
    const renamed = blank() as Record<string, FieldValue | Value>
    for (let at = 0; at < keys.length; at++) renamed[names[at]!] = cells[keys[at]!]!
    return renamed as Record<string, Value>
  }
}

/** Cells as they are stored. */
export const coded = renaming(storedKey)

/** Cells as they came out of storage, of this version or an earlier one, under their names. */
export const named = renaming((key) => nameOf.get(key) ?? key)
