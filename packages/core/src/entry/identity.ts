/** What is known about the same record in several reads: matches, suggestions and facts. */
export type { LedgerRef, MatchView, SuggestionView } from "../identity/IdentityLog.ts"
export { type Decided, type LoggedMatch, matchStates } from "../identity/LoggedMatch.ts"
export { type LoggedSuggestion, suggestionStates } from "../identity/LoggedSuggestion.ts"
export type { IdentityFact } from "../identity/match/IdentityFact.ts"
export type { LearntText } from "../identity/match/LearntTexts.ts"
export { fullTrust, type TrustCounter } from "../identity/match/TrustCounter.ts"
export { recordPasts } from "../identity/RecordPastReader.ts"
