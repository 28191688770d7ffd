/**
 * The bundled kinds, one line each: the kind, or the function that makes it of what it needs (`KindNeeds`), under the name of its
 * type.
 */
export { makeAlert as alert } from "./kinds/alert/alert.ts"
export { makeBudget as budget } from "./kinds/budget/budget.ts"
export { makeCategorize as ai_categorize } from "./kinds/ai/categorize.ts"
export { makeDigest as digest } from "./kinds/digest/digest.ts"
export { makeFilter as filter } from "./kinds/filter.ts"
export { makeLookup as lookup } from "./kinds/lookup/lookup.ts"
export { makeMemory as memory } from "./kinds/memory/memory.ts"
export { makeMerchant as ai_merchant } from "./kinds/ai/merchant.ts"
export { makeMonitor as monitor } from "./kinds/monitor/monitor.ts"
export { makeRecurring as recurring } from "./kinds/recurring/recurring.ts"
export { makeRule as rule } from "./kinds/rule.ts"
export { makeSplit as split } from "./kinds/split/split.ts"
export { anomaly } from "./kinds/anomaly/anomaly.ts"
export { makeDedupe as dedupe } from "./kinds/dedupe/dedupe.ts"
export { fees } from "./kinds/fees/fees.ts"
export { transferMatch as transfer_match } from "./kinds/transfer/transferMatch.ts"
