/** Providers, destinations and models whose behaviour a test scripts. */
export { makeScriptedModel, type ScriptedModel, type ScriptedModelOptions } from "../decision/ScriptedModel.ts"
export {
  makeScriptedDestination,
  type ScriptedDestination,
  type ScriptedFault,
  ScriptedPlace,
  writeOne
} from "../destination/ScriptedDestination.ts"
export {
  beginOf,
  completeOf,
  eachCall,
  keptIn,
  openFor,
  plainCapabilities,
  testSubject,
  withSessions
} from "../provider/DriverCalls.ts"
export { longAgo, type Posting, ScriptedBank, type TrueRow } from "../provider/ScriptedBank.ts"
export {
  isTrusted,
  makeScriptedProvider,
  type ScriptedOptions,
  type ScriptedProvider
} from "../provider/ScriptedProvider.ts"
