/** Records, feeds, jobs and all else that a test needs, made from little and stored where a test wants them. */
export { makeAccount, storeAccount } from "../fixture/Account.ts"
export { somebody } from "../fixture/Actor.ts"
export { makeAuditRow } from "../fixture/Audit.ts"
export { makeBank, makeConnection, makeMadeBank, storeBank } from "../fixture/Bank.ts"
export { calling, ownerOf } from "../fixture/Caller.ts"
export {
  attemptParts,
  completedConnection,
  makeAttempt,
  storeAttempt,
  storeSubject
} from "../fixture/ConnectionAttempt.ts"
export { makeEnrichment, plainEnrichment } from "../fixture/Enrichment.ts"
export { everydayAccount } from "../fixture/SetAccount.ts"
export { makeMessage } from "../fixture/Message.ts"
export { makeEvent, storeEvents } from "../fixture/Event.ts"
export { makeFeed, storeFeed } from "../fixture/Feed.ts"
export { claimJob, makeJob, makeJobError, storeJob } from "../fixture/Job.ts"
export { freeBanks, leaseBank, takeBank } from "../fixture/Lease.ts"
export { makePullDriver } from "../fixture/PullDriver.ts"
export { makeWrite, makeWrites, scopeOf } from "../fixture/Record.ts"
export { makeScriptedRun, type Script } from "../fixture/ScriptedRun.ts"
export { makeTableField, storeTable } from "../fixture/Table.ts"
export { difficultTexts } from "../fixture/Text.ts"
export { makeUpload } from "../fixture/Upload.ts"
export { makeApiKey, makeUser, makeWorkspace, storeWorkspace } from "../fixture/Workspace.ts"
export { storeTask } from "../fixture/Task.ts"
export { storeWholeWorkspace } from "../fixture/WholeWorkspace.ts"
