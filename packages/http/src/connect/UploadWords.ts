/** What is said of a file, in the words of a person who does not run the feed: settings have names that only its owner knows. */
import type { CsvField, CsvOptions } from "@millrace/core/feed"

const columns: Readonly<Record<CsvField, string>> = {
  date: "the date",
  authorizedDate: "the date of the purchase",
  valueDate: "the value date",
  amount: "the amount",
  debit: "money that leaves",
  credit: "money that comes in",
  sign: "the words for in and out",
  type: "the type",
  description: "the description",
  originalDescription: "the bank's own description",
  payee: "the other side",
  reference: "the reference",
  id: "the id",
  category: "the category",
  balance: "the balance",
  currency: "the currency",
  account: "the account",
  accountName: "the name of the account",
  status: "the status",
  note: "the note"
}

const settings: Readonly<Record<keyof CsvOptions, string>> = {
  delimiter: "the character between cells",
  encoding: "the encoding",
  decimal: "the decimal mark",
  dateFormat: "the order of day, month and year",
  headerLine: "the line of the headers",
  columns: "the columns",
  negate: "the meaning of signs",
  negateBalance: "the meaning of signs of balances",
  sideSigns: "the meaning of signs in columns of one side",
  accountNumber: "the account number",
  currency: "the currency"
}

const nameIn = (names: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(names, key) ? names[key] : undefined

const plain = (text: string): string =>
  text
    .replace(
      /(\bin )?(?:sourceConfig\.csv\.)?\bcolumns\.([A-Za-z]+)/g,
      (whole, inside: string | undefined, key: string) => {
        const name = nameIn(columns, key)
        return name === undefined ? whole : `${inside === undefined ? "" : "as "}the column of ${name}`
      }
    )
    .replace(/\bsourceConfig\.csv\.([A-Za-z]+)/g, (_, key: string) => nameIn(settings, key) ?? "the setting")
    .replaceAll("sourceConfig.csv", "the feed")

/** A sentence of its own, out of the part of one. Who can change a setting that it names is said as well. */
export const guestSentence = (text: string): string => {
  const said = plain(text)
  const sentence = said.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()).replace(/([^.])$/, "$1.")
  return said === text ? sentence : `${sentence} The person who sent you here can change how the file is read.`
}
