/** Text as people compare it, and as cells of spreadsheets hold it. */
export { lineEnd, quote, spreadsheetText } from "../shared/SpreadsheetText.ts"
export { fold, foldBeyondAscii } from "../text/Fold.ts"
export { clustersOf, merchantNameKey } from "../text/MerchantClusters.ts"
