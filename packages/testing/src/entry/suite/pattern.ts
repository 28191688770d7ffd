/** What every engine of patterns has to keep, as tests. */
export { suite } from "../../suite/PatternsSuite.ts"
