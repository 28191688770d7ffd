/** What every destination has to keep, as tests. */
export { columns } from "../../suite/DestinationRun.ts"
export {
  type DestinationSuiteOptions,
  type DestinationUnderTest,
  type RowDestinationUnderTest,
  suite
} from "../../suite/DestinationSuite.ts"
