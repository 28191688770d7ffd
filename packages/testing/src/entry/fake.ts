/** Providers and destinations whose behaviour a test scripts. */
export {
  makeScriptedDestination,
  type ScriptedDestination,
  ScriptedPlace,
  writeOne
} from "../destination/ScriptedDestination.ts"
export { longAgo, type Posting, ScriptedBank, type TrueRow } from "../provider/ScriptedBank.ts"
export {
  isTrusted,
  makeScriptedProvider,
  type ScriptedOptions,
  type ScriptedProvider
} from "../provider/ScriptedProvider.ts"
