/** What the name of a statement file says about the account: all but when it was made and what sort of file it is. */
import { fold } from "../text/Fold.ts"

const marks = /\p{M}+/gu
/** Words, and numbers by themselves. */
const pieces = /\p{L}+|\p{N}+/gu
const year = /^(?:19|20)\d{2}$/
const compactDate = /^(?:19|20)\d{6}(?:\d{6})?$/
/** Days, months and counters. */
const longestCounter = 3

const months = "january february march april may june july august september october november december".split(" ")
const otherMonths = (
  "januar jaenner februar marz maerz mai juni juli oktober dezember janvier fevrier mars avril juin juillet aout " +
  "septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre " +
  "diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre januari februari maart mei " +
  "augustus janeiro fevereiro marco junho julho setembro outubro novembro dezembro"
).split(" ")
const shortMonths = "jan feb mar mrz apr jun jul aug sep sept oct okt nov dec dez".split(" ")

/** Words that banks and people put around the name of any account. */
const anyFile: ReadonlySet<string> = new Set([
  ...months,
  ...otherMonths,
  ...shortMonths,
  ...(
    "transaction transactions transaktionen activity activities export exports exported download downloads downloaded " +
    "statement statements stmt account accounts acct history historie details detail report list file files data copy " +
    "kopie umsatz umsaetze umsatze buchungen kontoauszug auszug konto movimientos movimenti mouvements operations releve " +
    "compte extrato extracto estratto conto mutaties afschrift bank my the of to from until bis von and q h v w new old " +
    "final csv ofx qfx qbo txt xml tsv pdf statementfile bankstatement ytd"
  ).split(" ")
])

/** Words that tell an account, folded, in their order; `""` where there are none. */
export const accountInFileName = (fileName: string): string => {
  const name = fold(fileName.normalize("NFKC"))
    .normalize("NFD")
    .replace(marks, "")
    .replace(/\.[a-z0-9]{1,5}$/, "")
  return (name.match(pieces) ?? [])
    .filter((piece) =>
      /^\p{N}/u.test(piece)
        ? piece.length > longestCounter && !year.test(piece) && !compactDate.test(piece)
        : !anyFile.has(piece)
    )
    .join(" ")
}
