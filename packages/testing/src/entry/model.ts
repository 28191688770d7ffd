/** Plain models of what the kernel does, to hold it against, and reproducible randomness. */
export { type Answer, interpretFilter, opposite } from "../model/FilterInterpreter.ts"
export { filterTruth, groupTruth, notTruth, truthNow, truthZone } from "../model/FilterTruth.ts"
export { moments, randomFields, randomFilter, randomRelated, randomRow, zones } from "../model/RandomFilters.ts"
export { interpret, plainFold, type PlainRule } from "../model/RuleInterpreter.ts"
export { Seeded } from "../model/Seeded.ts"
export { SetWorld, type SetWorldOptions } from "../model/SetWorld.ts"
