/**
 * Every method of every store, called with ids of one workspace. The types ask for a case of each method, so that one that
 * is added without does not compile.
 */
import { AnalysisStore, AnswerCache, ApiKeyStore, OutboxStore, TokenBudget } from "@millrace/core/storage"
import { AccountLooks } from "@millrace/core/storage"
import { KeyLookup } from "@millrace/core/storage"
import { EventStore } from "@millrace/core/storage"
import {
  AccountJoinStore,
  BankDataPurge,
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  type ReceivedWebhooks
} from "@millrace/core/storage"
import { DeliveryStore } from "@millrace/core/storage"
import { EnrichmentStore } from "@millrace/core/storage"
import { FeedStore } from "@millrace/core/storage"
import { FindingStore, type ScratchAnalysis, SimulationStore } from "@millrace/core/storage"
import { EnrichmentRunStore, MemoryPatternStore } from "@millrace/core/storage"
import { IdempotencyStore } from "@millrace/core/storage"
import { IdentityStore } from "@millrace/core/storage"
import { JobStore } from "@millrace/core/storage"
import type { Kernel } from "@millrace/core/kernel"
import type { RateLimiter } from "@millrace/core/rate"
import type { Resources } from "@millrace/core/resource"
import { RecordChangeStore } from "@millrace/core/storage"
import { RecordStore } from "@millrace/core/storage"
import { CalendarDate } from "@millrace/core"
import { CursorStore, StageStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import type { Leases } from "@millrace/core/storage"
import { TaskStore } from "@millrace/core/storage"
import type { DataKeys } from "@millrace/core/storage"
import type { Transactor } from "@millrace/core/storage"
import { wholeScan } from "@millrace/core/table"
import { TableStore } from "@millrace/core/storage"
import { UploadStore } from "@millrace/core/storage"
import { WorkspaceStore } from "@millrace/core/storage"
import type * as Context from "effect/Context"
import { AuditStore } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { storeAccount } from "../fixture/Account.ts"
import { makeBank, makeConnection, makeMadeBank } from "../fixture/Bank.ts"
import { attemptParts, completedConnection, makeAttempt } from "../fixture/ConnectionAttempt.ts"
import { makeIntent } from "../fixture/Delivery.ts"
import { makeEnrichment } from "../fixture/Enrichment.ts"
import { makeEnrichmentRun } from "../fixture/EnrichmentRun.ts"
import { makePattern } from "../fixture/MemoryPattern.ts"
import { makeAuditRow } from "../fixture/Audit.ts"
import { makeEvent } from "../fixture/Event.ts"
import { makeFeed } from "../fixture/Feed.ts"
import { makeJob } from "../fixture/Job.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { makeMessage } from "../fixture/Message.ts"
import { makeTable, makeTableField } from "../fixture/Table.ts"
import { makeUpload } from "../fixture/Upload.ts"
import { person, type WholeWorkspace } from "../fixture/WholeWorkspace.ts"
import { makeApiKey } from "../fixture/Workspace.ts"
import type { StorageServices } from "./StorageTests.ts"
import { type Id, type IdKind, Ids } from "@millrace/core"

type Attempt<S> = (store: S, of: WholeWorkspace) => Effect.Effect<unknown, unknown, StorageServices | Ids>

/** A method for which there is nothing to keep apart, and why. */
export interface Open {
  readonly open: string
}
export const isOpen = (one: unknown): one is Open => typeof one === "object" && one !== null && "open" in one

type Cases<S> = { readonly [M in keyof S]: Attempt<S> | Open }

/** A method, called with what is of one workspace. */
type Call<I> = (of: WholeWorkspace) => Effect.Effect<unknown, unknown, StorageServices | Ids | I>

const casesOf = <I, S extends object>(store: Context.Service<I, S>, methods: Cases<S>) => ({
  names: Effect.map(store, (service) => Object.keys(service)),
  methods: Object.fromEntries(
    Object.entries(methods).map(([name, attempt]): readonly [string, Call<I> | Open] => [
      name,
      isOpen(attempt) ? attempt : (of) => Effect.flatMap(store, (service) => (attempt as Attempt<S>)(service, of))
    ])
  )
})

/** What a call adds has an id of its own: one that exists already would be refused, no matter who asks. */
const withNew = <K extends IdKind, A, E, R>(kind: K, call: (id: Id<K>) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Effect.flatMap(Ids, (ids) => ids.next(kind)),
    call
  )

const requestLimits = { free: 1, starter: 1, standard: 1, professional: 1, business: 1, enterprise: 1 }

const everybody: Open = { open: "looks at all workspaces, and is called across them" }

const later = Timestamp.make("2030-01-01T00:00:00.000Z")
const decided = { by: person, at: later }

const workspaces = casesOf(WorkspaceStore, {
  create: { open: "a workspace is made within itself: nobody else's is named" },
  update: (store, { workspace }) => store.update({ ...workspace, name: "Taken", version: workspace.version + 1 }),
  get: (store, { workspace }) => store.get(workspace.id),
  portals: { open: "portals are workspaces of their own, which are looked up across workspaces" },
  all: (store) => store.all
})

const keys = casesOf(ApiKeyStore, {
  insert: (store, { owner, workspace }) =>
    Effect.flatMap(makeApiKey(workspace, owner), (key) => store.insert(key, "another")),
  byHash: (store, { hash }) => store.byHash(hash),
  list: (store, { workspace }) => store.list(workspace.id)
})

const keyLookup = casesOf(KeyLookup, {
  lookup: (store, { hash }) => Effect.flatMap(Timestamp.now, (now) => store.lookup(hash, now, requestLimits))
})

const audit = casesOf(AuditStore, {
  begin: (store, { workspace }) => Effect.flatMap(makeAuditRow(workspace.id), store.begin),
  end: (store, { openEntry }) => store.end(openEntry),
  list: (store, { workspace }) => store.list(workspace.id, { limit: 10 }),
  chain: (store, { workspace }) => store.chain(workspace.id, 0, 10),
  ends: (store, { workspace }) => store.ends(workspace.id),
  seal: everybody,
  purge: everybody
})

const events = casesOf(EventStore, {
  append: (store, { workspace }) => store.append([makeEvent(workspace.id, "b", 1)]),
  read: (store, { workspace }) => store.read(workspace.id, 0, 10),
  newest: (store, { workspace }) => store.newest(workspace.id),
  arrivals: { open: "tells that something happened, and not what" },
  register: everybody,
  unregister: everybody,
  behind: everybody,
  position: (store, { backlog }) => store.position(backlog),
  advance: (store, { backlog }) => store.advance(backlog, 2),
  purge: everybody
})

const stages = casesOf(StageStore, {
  pack: { open: "keeps nothing" },
  put: (store, { stage }) =>
    Effect.flatMap(store.pack("new"), (packed) => store.put(stage, [{ number: 1, account: "account", packed }])),
  take: (store, { stage }) => Effect.map(store.take(stage, [0]), (texts) => texts.map((text) => text())),
  drop: (store, { stage }) => store.drop(stage),
  purge: everybody
})

const cursors = casesOf(CursorStore, {
  keep: (store, { workspace }) => store.keep(workspace.id, { digest: "new", text: "text", hours: 5 }),
  find: (store, { workspace }) => store.find(workspace.id, "digest"),
  purge: everybody
})

const keyedRequests = casesOf(IdempotencyStore, {
  begin: (store, { keyed }) => store.begin({ ...keyed, key: "new" }),
  end: (store, { keyed }) => store.end(keyed, "answer"),
  release: (store, { keyed }) => store.release(keyed),
  purge: everybody
})

const banks = casesOf(BankStore, {
  insert: (store, { workspace }) =>
    Effect.flatMap(makeBank(workspace), (bank) => store.insert(bank, makeConnection(bank))),
  list: (store, { workspace }) => store.list([workspace.id]),
  get: (store, { bank, workspace }) => store.get(workspace.id, bank.id),
  made: (store, { fileFeed }) => store.made(fileFeed.id),
  holdMade: (store, { fileFeed }) => Effect.flatMap(makeMadeBank(fileFeed, "mail"), store.holdMade),
  byConnection: (store, { bank, workspace }) => store.byConnection(workspace.id, "demo:main", `conn-${bank.id}`),
  hold: (store, { bank, workspace }) => store.hold(workspace.id, bank.id),
  holdLive: (store, { bank, workspace }) => store.holdLive(workspace.id, [bank.id]),
  setLife: (store, { bank }) => store.setLife(bank.id, { deletedAt: later }, later),
  dropConnection: (store, { bank }) => store.dropConnection(bank.id),
  purgeable: everybody,
  ofConnection: everybody,
  anyConnected: (store, { workspace }) => store.anyConnected(workspace.id, "demo:main"),
  connection: (store, { bank }) => store.connection(bank.id),
  replaceConnection: (store, { bank }) =>
    store.replaceConnection(
      bank.id,
      { instanceId: "demo:main", connection: { ref: "taken", secrets: {} } },
      { connected: false, status: "error" },
      later
    ),
  update: (store, { bank, workspace }) => store.update(workspace.id, bank.id, { name: "Another" }, later),
  unchecked: everybody,
  rotateSecrets: (store, { bank }) => store.rotateSecrets(bank.id, makeConnection(bank).connection, { token: "taken" }),
  setStatus: (store, { bank }) =>
    store.setStatus(
      bank.id,
      { connected: false, status: "error", source: "provider_call", lastCheckedAt: later },
      later
    ),
  remove: (store, { bank, workspace }) => store.remove(workspace.id, bank.id),
  accounts: (store, { bank }) => store.accounts(bank.id),
  account: (store, { account, bank, workspace }) => store.account(workspace.id, bank.id, account.id),
  putAccounts: (_store, { bank }) => storeAccount(bank),
  describeAccount: (store, { account }) => store.describeAccount(account.id, { accountName: "Taken" }, later),
  setReadFrom: (store, { account }) => store.setReadFrom(account.id, "trades", CalendarDate.make("2020-01-01")),
  setHistoryFrom: (store, { account }) => store.setHistoryFrom(account.id, CalendarDate.make("2020-01-01"))
})

const remains = casesOf(BankDataPurge, {
  destroySome: (store, { bank, workspace }) => store.destroySome(workspace.id, bank.id, 10)
})

const accountJoins = casesOf(AccountJoinStore, {
  insert: (store, { account, join, madeAccount }) =>
    store.insert({ ...join, id: `${join.id}~` as typeof join.id, accountId: account.id, joinedId: madeAccount.id }),
  remove: (store, { join }) => store.remove(join),
  of: (store, { join, workspace }) => store.of(workspace.id, join.accountId),
  into: (store, { join, workspace }) => store.into(workspace.id, join.joinedId),
  exchange: (store, { join, workspace }) => store.exchange(workspace.id, join.accountId, join.joinedId, later),
  move: (store, { account, join, scope, write }) =>
    store.move({ ...scope, from: account.id, to: join.accountId, ids: [write.id] })
})

const looks = casesOf(AccountLooks, {
  look: (store, { account, bank, workspace }) =>
    store.look(workspace.id, { bankId: bank.id, accountId: account.id }, "transactions", { filter: {}, limit: 10 })
})

const attempts = casesOf(ConnectionAttemptStore, {
  begin: (store, { workspace }) => Effect.flatMap(makeAttempt(workspace), store.begin),
  get: (store, { attempt }) => store.get(attempt.id),
  named: (store, { attempt, workspace }) => store.named(workspace.id, attempt.instanceId, attempt.attemptId),
  newest: (store, { attempt, workspace }) =>
    store.newest(workspace.id, attempt.instanceId, attempt.credential, attempt.createdAt),
  byState: (store, { attempt }) => store.byState(attempt.stateHash!),
  move: (store, { attempt }) => store.move(attempt.id, "complete", later),
  setStep: (store, { attempt }) => store.setStep(attempt.id, { flow: "portal_popup", expiresAt: later }, later),
  supersede: (store, { attempt, bank }) =>
    store.supersede({ ...attempt, id: `${attempt.id}~` as typeof attempt.id, reconnects: bank.id }, later),
  keep: (store, { attempt }) => store.keep(attempt.id, "step", attemptParts.step, later),
  part: (store, { attempt }) => store.part(attempt.id, "secrets"),
  dropPart: (store, { attempt }) => store.dropPart(attempt.id, "secrets"),
  keepExchange: (store, { attempt }) =>
    store.keepExchange(attempt.id, { ...completedConnection, bankType: "brokerage" }, later),
  exchange: (store, { attempt }) => store.exchange(attempt.id),
  dropExchange: (store, { attempt }) => store.dropExchange(attempt.id, later),
  anyRunning: (store, { attempt, bank, workspace }) => store.anyRunning(workspace.id, attempt.instanceId, bank.id),
  sweep: everybody,
  waiting: everybody,
  purge: everybody
})

const subjects = casesOf(ConnectionSubjectStore, {
  begin: (store, { subject }) => store.begin(subject),
  get: (store, { subject }) => store.get(subject.workspaceId, subject.instanceId),
  keepSecrets: (store, { subject }) =>
    store.keepSecrets(subject.workspaceId, subject.instanceId, { userSecret: "another" }, later),
  hold: (store, { subject }) => store.hold(subject.workspaceId, subject.instanceId),
  end: (store, { subject }) => store.end(subject.workspaceId, subject.instanceId, later),
  ended: (store, { subject }) =>
    Effect.andThen(
      store.end(subject.workspaceId, subject.instanceId, later),
      store.ended(subject.workspaceId, subject.instanceId)
    ),
  takeLeft: everybody,
  forget: (store, { subject }) =>
    Effect.andThen(
      store.end(subject.workspaceId, subject.instanceId, later),
      store.forget(subject.workspaceId, subject.instanceId, subject.ref)
    ),
  byRef: (store, { subject }) => store.byRef(subject.instanceId, subject.ref)
})

const records = casesOf(RecordStore, {
  index: (store, { scope }) => store.index(scope, {}),
  held: (store, { scope, write }) => store.held(scope, [write.id]),
  fields: (store, { scope, write }) => store.fields(scope, [write.id]),
  write: (store, { scope }) => Effect.flatMap(makeWrite(), (write) => store.write(scope, [write])),
  rename: (store, { scope, write }) => store.rename(scope, [{ id: write.id, providerId: "renamed" }]),
  touch: (store, { scope, write }) => store.touch(scope, [write.id]),
  merge: (store, { other, scope, write }) => store.merge(scope, [{ id: write.id, into: other.id }]),
  merged: (store, { other, scope, write }) =>
    Effect.andThen(store.merge(scope, [{ id: write.id, into: other.id }]), store.merged(scope)),
  setMissed: (store, { scope, write }) => store.setMissed(scope, [write.id], 1),
  keepDayHashes: (store, { scope }) => store.keepDayHashes(scope, { put: new Map([[null, "new"]]), removed: [] }),
  dayHashes: (store, { scope }) => store.dayHashes(scope),
  lastChange: (store, { account }) => store.lastChange(account.id),
  lastChanges: (store, { account }) => store.lastChanges([account.id]),
  changes: (store, { scope }) => store.changes(scope, { after: 0, upTo: 100, limit: 100 }),
  publicChanges: (store, { scope }) => store.publicChanges(scope, { after: 0, upTo: 100, limit: 100 }),
  page: (store, { scope }) => store.page(scope, { filter: { text: "coop" }, limit: 10 }),
  shownPage: (store, { scope }) => store.shownPage(scope, { filter: {}, limit: 10 }),
  latestDate: (store, { scope }) => store.latestDate(scope),
  checkpoint: (store, { checkpoint }) => store.checkpoint(checkpoint),
  saveCheckpoint: (store, { checkpoint }) => store.saveCheckpoint(checkpoint, "elsewhere"),
  pulledAt: (store, { scope }) => store.pulledAt(scope),
  pulledTimes: (store, { account }) => store.pulledTimes("transactions", [account.id]),
  setPulled: (store, { scope }) => store.setPulled([{ ...scope, shown: [] }]),
  shown: (store, { scope }) => store.shown(scope.dataType, [scope.accountId]),
  forget: (store, { madeAccount, workspace }) => store.forget(workspace.id, madeAccount.id)
})

const analyses = casesOf(AnalysisStore, {
  head: (store, { analysis }) => store.head(analysis),
  entries: (store, { analysis, enrichment, write }) => store.entries(analysis, enrichment.id, [write.id]),
  accountRecords: (store, { account, analysis }) => store.accountRecords(analysis, account.id, 10),
  members: (store, { analysis, enrichment }) => store.members(analysis, enrichment.id, ["part"]),
  partitions: (store, { analysis, enrichment }) => store.partitions(analysis, enrichment.id, ["part"]),
  states: (store, { analysis, enrichment }) => store.states(analysis, enrichment.id, { after: "", limit: 10 }),
  linksOf: (store, { analysis, enrichment }) => store.linksOf(analysis, enrichment.id, { after: "", limit: 10 }),
  outputs: (store, { analysis, enrichment }) => store.outputs(analysis, enrichment.id, ["part"]),
  stale: (store, { analysis, enrichment }) =>
    store.stale(analysis, enrichment.id, { tag: "another", today: CalendarDate.make("2026-03-01"), limit: 10 }),
  addEvents: (store, { analysis, enrichment }) => store.addEvents(analysis, enrichment.id, ["key", "another"]),
  commit: (store, { analysis, analysisChanges }) => store.commit(analysis, 1, { ...analysisChanges, enrichments: [] }),
  forget: (store, { enrichment, workspace }) => store.forget(workspace.id, enrichment.id),
  notes: (store, { workspace, write }) => store.notes(workspace.id, [write.id]),
  links: (store, { analysisChanges, workspace }) =>
    store.links(
      workspace.id,
      analysisChanges.enrichments.flatMap(({ links }) => links.map(({ id }) => id))
    ),
  addFacts: (store, { enrichmentFact }) =>
    withNew("fact", (id) => store.addFacts([{ ...enrichmentFact, id, kind: "suppress" }])),
  liftFacts: (store, { enrichmentFact, workspace }) => store.liftFacts(workspace.id, [enrichmentFact.id], decided),
  fact: (store, { enrichmentFact, workspace }) => store.fact(workspace.id, enrichmentFact.id),
  facts: (store, { analysis, write }) => store.facts(analysis, { recordIds: [write.id] }),
  countFacts: (store, { workspace }) => store.countFacts(workspace.id),
  disturb: (store, { analysis, write }) => store.disturb(analysis, [write.id], CalendarDate.make("2026-01-01"))
})

const recordChanges = casesOf(RecordChangeStore, {
  append: (store, { recordChange }) => withNew("change", (id) => store.append([{ ...recordChange, id }])),
  latest: (store, { recordChange }) => store.latest(recordChange.feedId, [recordChange.recordId]),
  ofRecord: (store, { recordChange, workspace }) => store.ofRecord(workspace.id, recordChange.recordId, 10),
  ofJob: (store, { job, workspace }) => store.ofJob(workspace.id, job.id, { limit: 10 }),
  release: (store, { account, workspace }) => store.release(workspace.id, account.id),
  purge: everybody
})

const findings = casesOf(FindingStore, {
  list: (store, { enrichment, workspace }) => store.list(workspace.id, enrichment.id, { limit: 10 }),
  get: (store, { finding, workspace }) => store.get(workspace.id, [finding.id]),
  present: (store, { enrichment, workspace }) => store.present(workspace.id, enrichment.id),
  putFindings: (store, { finding }) =>
    withNew("finding", (id) => store.putFindings([{ ...finding, id, status: "dismissed" }])),
  forget: (store, { enrichment, workspace }) => store.forget(workspace.id, enrichment.id)
})

const simulations = casesOf(SimulationStore, {
  insert: (store, { simulation, simulationInput }) =>
    withNew("simulation", (id) => store.insert({ ...simulation, id }, simulationInput)),
  update: (store, { simulation }) => store.update({ ...simulation, status: "cancelled", version: 2 }),
  get: (store, { simulation, workspace }) => store.get(workspace.id, simulation.id),
  open: (store, { workspace }) => store.open(workspace.id),
  inputOf: everybody,
  forget: (store, { workspace }) => store.forget(workspace.id, Timestamp.make("2030-01-01T00:00:00.000Z"))
})

const answers = casesOf(AnswerCache, {
  find: (store, { workspace }) => store.find(workspace.id, ["key"], true),
  keep: (store, { workspace }) => store.keep(workspace.id, [{ key: "key", answer: "other", probability: 1 }]),
  purge: everybody
})

const budgets = casesOf(TokenBudget, {
  reserve: (store, { budget }) => store.reserve(budget, 1, { enrichment: 1_000 }),
  settle: (store, { budget, reservation }) => store.settle(budget, reservation, 3),
  use: (store, { budget }) => store.use(budget),
  purge: everybody
})

const messages = casesOf(OutboxStore, {
  insert: (store, { enrichment, workspace }) => store.insert([makeMessage(workspace.id, enrichment.id, "another")]),
  withdraw: (store, { message, workspace }) => store.withdraw(workspace.id, [message.id]),
  silence: (store, { enrichment, workspace }) => store.silence(workspace.id, enrichment.id),
  get: (store, { message, workspace }) => store.get(workspace.id, message.id),
  start: (store, { readyMessage, workspace }) => store.start(workspace.id, readyMessage.id),
  settle: (store, { sendingMessage, workspace }) => store.settle(workspace.id, sendingMessage.id, { state: "sent" }),
  reword: (store, { message, workspace }) => store.reword(workspace.id, message.id, message.content),
  lane: (store, { message, workspace }) => store.lane(workspace.id, message.lane, 10),
  release: (store, { message, workspace }) => store.release(workspace.id, message.id),
  collect: (store, { message, workspace }) => store.collect(workspace.id, [message.id], "another"),
  list: (store, { workspace }) => store.list(workspace.id, { limit: 10 }),
  purge: everybody
})

const feeds = casesOf(FeedStore, {
  insert: (store, { workspace }) => Effect.flatMap(makeFeed(workspace), store.insert),
  update: (store, { feed }) => store.update({ ...feed, name: "Another", version: 2 }),
  get: (store, { feed, workspace }) => store.get(workspace.id, feed.id),
  byId: (store, { feed }) => store.byId(feed.id),
  hold: (store, { feed }) => store.hold(feed.id),
  list: (store, { workspace }) => store.list([workspace.id], {}),
  remove: (store, { feed, workspace }) => store.remove(workspace.id, feed.id),
  states: (store, { feed, idle }) => store.states([feed.id, idle.id]),
  scheduleDue: everybody,
  advanceSchedule: (store, { idle }) => store.advanceSchedule(idle.id, idle.nextRunAt!, later),
  claimPlace: (store, { feed, idle }) =>
    Effect.forEach([feed, idle], ({ id }) => store.claimPlace(id, `another-${feed.id}`)),
  boundColumns: (store, { feed }) => store.boundColumns(feed.id),
  bindColumns: (store, { feed }) => store.bindColumns(feed.id, new Map([["Memo", "fld2"]])),
  unbindColumns: (store, { feed }) => store.unbindColumns(feed.id),
  marks: (store, { feed }) => store.marks(feed.id),
  setMarks: (store, { account, feed }) =>
    store.setMarks(feed.id, [{ accountId: account.id, changeNo: 9, signature: "t" }]),
  clearMarks: (store, { feed }) => store.clearMarks(feed.id),
  wake: (store, { fileFeed }) =>
    store.wake(fileFeed.id, { afterSeconds: 60, reason: "retry", type: "scheduled", retry: 1 }),
  dueWakes: everybody,
  takeWake: (store, { wake }) => store.takeWake(wake.feedId, wake.dueAt)
})

const jobs = casesOf(JobStore, {
  create: (store, { idle }) => Effect.flatMap(makeJob(idle), (job) => store.create(job, { replacing: false })),
  get: (store, { feed, job, workspace }) => store.get(workspace.id, feed.id, job.id),
  active: (store, { feed }) => store.active(feed.id),
  list: (store, { feed, workspace }) => store.list(workspace.id, feed.id, { limit: 10 }),
  dispatch: everybody,
  decline: { open: "takes a mark away with which a job was handed out: it is handed out again" },
  arrivals: { open: "tells that some job came, and not which" },
  claim: (store, { waiting }) => store.claim(waiting.id, []),
  beat: (store, { fence }) => store.beat([fence]),
  saveResumeSnapshot: (store, { fence }) => store.saveResumeSnapshot(fence, "text"),
  leave: { open: "takes back the slots of a process" },
  release: (store, { fence, feed, job, workspace }) =>
    Effect.andThen(store.release(fence), store.get(workspace.id, feed.id, job.id)),
  fence: (store, { fence }) => store.fence(fence, { add: { read: 1 } }),
  fenceBank: (store, { bank, fence }) => store.fenceBank(fence, bank.id),
  complete: (store, { fence }) => store.complete(fence, {}),
  fail: (store, { fence }) => store.fail(fence, []),
  pause: (store, { fence }) => store.pause(fence, "user", undefined),
  cancel: (store, { job }) => store.cancel(job.id, "cancel", person),
  sweep: everybody,
  askPause: (store, { job }) => store.askPause(job.id, person),
  pauseAsked: (store, { fence }) => store.pauseAsked(fence),
  resume: (store, { fence, job }) =>
    Effect.andThen(store.pause(fence, "user", undefined), store.resume(job.id, person)),
  purge: everybody,
  now: { open: "the clock" }
})

const tasks = casesOf(TaskStore, {
  enqueue: (store, { task }) => withNew("task", (id) => store.enqueue([{ ...task, id, key: "new" }])),
  claim: everybody,
  beat: (store, { taskFence }) => store.beat([taskFence], 60),
  fence: (store, { taskFence }) => store.fence(taskFence),
  complete: (store, { taskFence }) => store.complete(taskFence),
  retry: (store, { taskFence }) => store.retry(taskFence, "again", 60),
  fail: (store, { taskFence }) => store.fail(taskFence, "failed"),
  release: (store, { taskFence }) => Effect.andThen(store.release(taskFence, 60), store.get(taskFence.taskId)),
  withdraw: {
    open: "is named by what is to be done and to what, not by an id: a policy of the database knows whose it is"
  },
  get: (store, { task }) => store.get(task.id),
  list: (store, { workspace }) => store.list({ workspaceId: workspace.id, limit: 10 }),
  reopen: (store, { task, taskFence }) =>
    Effect.andThen(Effect.ignore(store.fail(taskFence, "failed")), store.reopen(task.id)),
  overview: everybody,
  purge: everybody,
  arrivals: { open: "tells that some task came, and not which" }
})

const deliveries = casesOf(DeliveryStore, {
  entries: (store, { feed, write }) => store.entries(feed.id, [write.id]),
  entriesUnder: (store, { account, feed, job, write }) =>
    Effect.andThen(
      store.intend(feed.id, job.id, [makeIntent(account, `${write.id}:line`)]),
      store.entriesUnder(feed.id, [write.id])
    ),
  intend: (store, { account, feed, job }) => store.intend(feed.id, job.id, [makeIntent(account, "new")]),
  intendSettled: (store, { account, feed, job }) =>
    store.intendSettled(feed.id, job.id, [makeIntent(account, "new")], [{ state: "done" }]),
  open: (store, { feed }) => store.open(feed.id, { limit: 10 }),
  countOpen: (store, { feed, job }) => store.countOpen(feed.id, job.id),
  markSending: (store, { feed, job, write }) =>
    store.markSending(feed.id, job.id, [{ recordId: write.id, version: 1 }]),
  settle: (store, { feed, job, write }) =>
    store.settle(feed.id, job.id, [{ recordId: write.id, version: 1, state: "done" }]),
  settleNext: (store, { feed, job }) => store.settleNext(feed.id, job.id, { limit: 10, remoteRef: "file.csv" }),
  current: (store, { feed }) => Stream.runCollect(store.current(feed.id)),
  list: (store, { feed }) => store.list(feed.id, { limit: 10 }),
  clear: (store, { feed }) => store.clear(feed.id),
  reopen: (store, { feed }) => store.reopen(feed.id, { limit: 10 }),
  fill: (store, { feed, job, write }) =>
    Effect.gen(function* () {
      const version = 1
      yield* store.settle(feed.id, job.id, [{ recordId: write.id, version, state: "done", readable: true }])
      yield* store.reopen(feed.id, { limit: 10 })
      yield* store.fill(feed.id, [
        { recordId: write.id, version: version + 1, hash: "again", values: { name: "Eve" }, provenance: [] }
      ])
    }),
  keep: (store, { account, feed }) => store.keep(feed.id, [makeIntent(account, "skipped", { hash: "newer" })]),
  fileMark: (store, { feed }) => store.fileMark(feed.id),
  noteFile: (store, { feed }) => store.noteFile(feed.id, "another")
})

const tables = casesOf(TableStore, {
  insert: (store, { workspace }) => Effect.flatMap(makeTable(workspace, { name: "Another" }), store.insert),
  get: (store, { table, workspace }) => store.get(workspace.id, table.id),
  lock: (store, { table, workspace }) => store.lock(workspace.id, table.id),
  list: (store, { workspace }) => store.list([workspace.id]),
  update: (store, { table }) => store.update({ ...table, name: "Another", version: 2 }),
  addFields: (store, { table }) =>
    Effect.flatMap(makeTableField("memo"), (field) => store.addFields(table.id, [field])),
  remove: (store, { table }) => store.remove(table.id),
  rowTotal: (store, { workspace }) => store.rowTotal(workspace.id),
  rows: (store, { table }) => store.rows(wholeScan(table.id)),
  count: (store, { table }) => store.count(wholeScan(table.id)),
  rowsById: (store, { row, table }) => store.rowsById(table.id, [row.id]),
  rowsByKey: (store, { table }) => store.rowsByKey(table.id, ["held"]),
  holders: (store, { field, table }) => store.holders(table.id, [{ facet: field.id, mark: "mark" }]),
  putRows: (store, { row, table }) =>
    store.putRows(table.id, [{ row: { ...row, values: { name: "Eve" }, version: 2 }, folded: {}, entries: [] }], 0),
  putFeedRows: (store, { table }) =>
    withNew("row", (id) =>
      store.putFeedRows(table.id, [{ key: "new", values: { name: "Eve" }, folded: {}, mustExist: false }], [id], person)
    ),
  makeFeedRows: (store, { table }) =>
    withNew("row", (id) =>
      store.makeFeedRows(
        table,
        [{ key: "new", values: { name: "Eve" }, folded: {}, mustExist: false }],
        [id],
        person,
        Infinity
      )
    ),
  removeFeedRows: (store, { table }) => store.removeFeedRows(table.id, ["held"]),
  formerRows: (store, { table }) => store.formerRows(table.id, ["former"]),
  heldKeys: (store, { workspace }) => store.heldKeys(workspace.id, ["held", "former"]),
  heldRows: (store, { table }) => store.heldRows(table.id, { after: undefined, limit: 10 }),
  clearField: (store, { table }) => store.clearField(table.id, "name"),
  dropFacets: (store, { field, table }) => store.dropFacets(table.id, [field.id]),
  addEntries: (store, { field, row, table }) =>
    Effect.andThen(
      store.dropFacets(table.id, [field.id]),
      store.addEntries(table.id, [{ id: row.id, entries: [{ facet: field.id, text: "eve", mark: "other" }] }])
    ),
  purge: everybody
})

const uploads = casesOf(UploadStore, {
  insert: (store, { fileFeed }) =>
    Effect.flatMap(makeUpload(fileFeed), (upload) => store.insert(upload, new Uint8Array(4))),
  bySha256: (store, { fileFeed, upload }) => store.bySha256(fileFeed.id, upload.sha256),
  get: (store, { fileFeed, upload }) => store.get(fileFeed.id, upload.id),
  list: (store, { fileFeed }) => store.list(fileFeed.id, {}),
  page: (store, { fileFeed }) => store.page(fileFeed.id, { limit: 10 }),
  waiting: everybody,
  bytes: (store, { upload }) => store.bytes(upload.id),
  bytesKept: (store, { workspace }) => store.bytesKept(workspace.id),
  restore: (store, { removed }) => store.restore(removed.id, new Uint8Array([9, 9, 9, 9, 9])),
  removeFiles: everybody,
  setStatus: (store, { job, upload }) => store.setStatus(upload.id, { status: "processing", jobId: job.id }),
  setReading: (store, { upload }) => store.setReading(upload.id, { ...upload, reading: "again" }),
  remove: (store, { upload }) => store.remove(upload.id),
  beginShowing: (store, { account, upload }) =>
    store.beginShowing(upload.id, { accountId: account.id, dataType: "balances" }, ["row"]),
  setShown: (store, { upload }) => store.setShown(upload.id, []),
  shown: (store, { upload }) => store.shown(upload.id),
  shownElsewhere: (store, { account, removed }) =>
    store.shownElsewhere({ accountId: account.id, dataType: "transactions" }, removed.id),
  showing: (store, { account }) => store.showing(account.id)
})

const enrichments = casesOf(EnrichmentStore, {
  insert: (store, { workspace }) => Effect.flatMap(makeEnrichment(workspace), store.insert),
  update: (store, { enrichment }) => store.update({ ...enrichment, name: "Another", version: 2 }),
  get: (store, { enrichment, workspace }) => store.get(workspace.id, enrichment.id),
  list: (store, { workspace }) => store.list([workspace.id]),
  page: (store, { workspace }) => store.page({ workspaceIds: [workspace.id], limit: 10 }),
  purge: everybody,
  remove: (store, { enrichment, workspace }) => store.remove(workspace.id, enrichment.id),
  put: (store, { enrichment }) => store.put([{ ...enrichment, name: "put" }]),
  removeAll: (store, { enrichment, workspace }) => store.removeAll(workspace.id, { id: enrichment.id })
})

const enrichmentRuns = casesOf(EnrichmentRunStore, {
  insert: (store, { enrichment, fileFeed }) => Effect.flatMap(makeEnrichmentRun(enrichment, fileFeed), store.insert),
  update: (store, { enrichmentRun }) => store.update({ ...enrichmentRun, faults: 7 }),
  get: (store, { enrichmentRun, workspace }) => store.get(workspace.id, enrichmentRun.id),
  list: (store, { workspace }) => store.list([workspace.id]),
  page: (store, { workspace }) => store.page({ workspaceIds: [workspace.id], limit: 10 }),
  purge: everybody,
  remove: (store, { enrichmentRun, workspace }) => store.remove(workspace.id, enrichmentRun.id),
  put: (store, { enrichmentRun }) => store.put([{ ...enrichmentRun, faults: 8 }]),
  removeAll: (store, { enrichment, workspace }) => store.removeAll(workspace.id, { enrichmentId: enrichment.id })
})

const patterns = casesOf(MemoryPatternStore, {
  insert: (store, { enrichment }) => Effect.flatMap(makePattern(enrichment), store.insert),
  update: (store, { pattern }) => store.update({ ...pattern, status: "retired" }),
  get: (store, { pattern, workspace }) => store.get(workspace.id, pattern.id),
  list: (store, { workspace }) => store.list([workspace.id]),
  page: (store, { workspace }) => store.page({ workspaceIds: [workspace.id], limit: 10 }),
  purge: everybody,
  remove: (store, { pattern, workspace }) => store.remove(workspace.id, pattern.id),
  put: (store, { pattern }) => store.put([{ ...pattern, status: "retired" }]),
  removeAll: (store, { enrichment, workspace }) => store.removeAll(workspace.id, { enrichmentId: enrichment.id })
})

const identity = casesOf(IdentityStore, {
  recall: (store, { scope }) => Effect.map(store.recall(scope), ({ now: _now, ...recalled }) => recalled),
  setTrust: (store, { scope }) => store.setTrust(scope, { contradictions: [2, 3], demoted: true }),
  setLearnt: (store, { scope }) => store.setLearnt(scope, [{ pending: "c", booked: "d", score: 2 }]),
  forgetTrust: (store, { account, workspace }) => store.forgetTrust(workspace.id, [account.id]),
  forget: (store, { account, workspace }) => store.forget(workspace.id, account.id),
  aliases: (store, { scope }) => store.aliases(scope, ["former"]),
  aliasesOf: (store, { scope, write }) => store.aliasesOf(scope, write.id),
  formerIds: (store, { scope, write }) => store.formerIds(scope, [write.id]),
  addAliases: (store, { scope, write }) => store.addAliases(scope, [{ providerId: "later", recordId: write.id }]),
  moveAliases: (store, { other, scope }) => store.moveAliases(scope, ["former"], other.id),
  handBack: (store, { match, other, scope }) =>
    store.handBack(scope, [{ ...match, at: Timestamp.make("1960-01-01T00:00:00.000Z"), separateId: other.id }]),
  logMatches: (store, { match }) => withNew("match", (id) => store.logMatches([{ ...match, id }])),
  match: (store, { match, scope }) => store.match(scope, match.id),
  matches: (store, { scope }) => store.matches(scope, { limit: 10 }),
  setMatch: (store, { match }) => store.setMatch({ ...match, state: "undone", decided }),
  suggest: (store, { scope, suggestion, write }) =>
    withNew("suggestion", (id) => store.suggest([{ ...suggestion, ...scope, id, observedId: write.id }])),
  suggestion: (store, { scope, suggestion }) => store.suggestion(scope, suggestion.id),
  suggestions: (store, { scope }) => store.suggestions(scope, { limit: 10 }),
  decideSuggestion: (store, { suggestion }) => store.decideSuggestion(suggestion, "accepted", decided),
  facts: (store, { scope }) => store.facts(scope),
  addFact: (store, { fact }) => withNew("fact", (id) => store.addFact({ ...fact, id })),
  liftFacts: (store, { account, fact }) => store.liftFacts(account.id, [fact.id], decided),
  countFacts: (store, { workspace }) => store.countFacts(workspace.id),
  purge: everybody
})

const all = {
  audit,
  workspaces,
  keys,
  keyLookup,
  events,
  cursors,
  stages,
  keyedRequests,
  banks,
  remains,
  accountJoins,
  looks,
  attempts,
  subjects,
  records,
  feeds,
  jobs,
  tasks,
  deliveries,
  tables,
  uploads,
  enrichments,
  enrichmentRuns,
  patterns,
  analyses,
  findings,
  recordChanges,
  simulations,
  answers,
  budgets,
  messages,
  identity
}

/** Stores that nobody can ask for what is of another workspace. */
type Apart =
  // Keys and names of the whole installation.
  | ReceivedWebhooks
  | DataKeys
  | Leases
  | RateLimiter
  // Of what a definition says: each is held to its own suite, which tries the wall as well.
  | Resources
  | Transactor
  // Empty for the one who opens one, and seen by nobody else.
  | ScratchAnalysis

/** A store without cases here does not compile. */
type Covered = Effect.Services<(typeof all)[keyof typeof all]["names"]> | Apart
const missing: [Exclude<Kernel.Stores, Covered>] extends [never] ? "none" : "a store" = "none"

/** What a workspace holds, as each of its stores tells it: what another one has done to it would show. */
const tellings = {
  workspaces: Effect.fnUntraced(function* ({ workspace }: WholeWorkspace) {
    const store = yield* WorkspaceStore
    return [yield* store.get(workspace.id), yield* store.all]
  }),
  keys: ({ workspace }: WholeWorkspace) => Effect.flatMap(ApiKeyStore, (store) => store.list(workspace.id)),
  // What these three tell is of other stores.
  remains: ({ workspace }: WholeWorkspace) => Effect.flatMap(BankStore, (store) => store.list([workspace.id])),
  looks: ({ workspace }: WholeWorkspace) => Effect.flatMap(BankStore, (store) => store.list([workspace.id])),
  keyLookup: ({ workspace }: WholeWorkspace) => Effect.flatMap(ApiKeyStore, (store) => store.list(workspace.id)),
  audit: Effect.fnUntraced(function* ({ workspace }: WholeWorkspace) {
    const store = yield* AuditStore
    // What has ended is shown once it has its place.
    yield* acrossTenants("task engine")(store.seal)
    return [yield* store.list(workspace.id, { limit: 10 }), yield* store.ends(workspace.id)]
  }),
  events: Effect.fnUntraced(function* ({ backlog, workspace }: WholeWorkspace) {
    const store = yield* EventStore
    return [yield* store.read(workspace.id, 0, 100), yield* store.position(backlog)]
  }),
  cursors: Effect.fnUntraced(function* ({ workspace }: WholeWorkspace) {
    const store = yield* CursorStore
    return [yield* store.find(workspace.id, "digest"), yield* store.find(workspace.id, "new")]
  }),
  stages: ({ stage }: WholeWorkspace) =>
    Effect.flatMap(StageStore, (store) =>
      Effect.map(store.take(stage, [0, 1]), (texts) => texts.map((text) => text()))
    ),
  keyedRequests: ({ keyed }: WholeWorkspace) => Effect.flatMap(IdempotencyStore, (store) => store.begin(keyed)),
  banks: Effect.fnUntraced(function* ({ bank, fileFeed, madeAccount, workspace }: WholeWorkspace) {
    const store = yield* BankStore
    return [
      yield* store.list([workspace.id]),
      yield* store.connection(bank.id),
      yield* store.accounts(bank.id),
      yield* store.made(fileFeed.id),
      yield* store.accounts(madeAccount.bankId)
    ]
  }),
  accountJoins: Effect.fnUntraced(function* ({ join, joinBank, workspace }: WholeWorkspace) {
    const store = yield* AccountJoinStore
    return [
      yield* store.of(workspace.id, join.accountId),
      yield* (yield* BankStore).accounts(joinBank.id),
      yield* (yield* RecordStore).lastChange(join.accountId)
    ]
  }),
  attempts: Effect.fnUntraced(function* ({ attempt }: WholeWorkspace) {
    const store = yield* ConnectionAttemptStore
    return [
      yield* store.get(attempt.id),
      yield* store.exchange(attempt.id),
      yield* store.part(attempt.id, "secrets"),
      yield* store.part(attempt.id, "step")
    ]
  }),
  subjects: ({ subject }: WholeWorkspace) =>
    Effect.flatMap(ConnectionSubjectStore, (store) => store.get(subject.workspaceId, subject.instanceId)),
  records: Effect.fnUntraced(function* ({ account, checkpoint, madeAccount, scope }: WholeWorkspace) {
    const store = yield* RecordStore
    return [
      yield* store.changes(scope, { after: 0, upTo: 100, limit: 100 }),
      // In no order of its own.
      (yield* store.index(scope, {})).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      yield* store.lastChange(account.id),
      yield* store.dayHashes(scope),
      yield* store.merged(scope),
      yield* store.pulledAt(scope),
      yield* store.shown(scope.dataType, [scope.accountId]),
      yield* store.checkpoint(checkpoint),
      yield* store.changes(scopeOf(madeAccount), { after: 0, upTo: 100, limit: 100 })
    ]
  }),
  feeds: Effect.fnUntraced(function* ({ feed, fileFeed, idle, workspace }: WholeWorkspace) {
    const store = yield* FeedStore
    return [
      yield* store.list([workspace.id], {}),
      yield* store.states([feed.id, idle.id, fileFeed.id]),
      yield* store.marks(feed.id),
      yield* store.boundColumns(feed.id)
    ]
  }),
  jobs: Effect.fnUntraced(function* ({ feed, idle, waiting, workspace }: WholeWorkspace) {
    const store = yield* JobStore
    return [
      yield* store.list(workspace.id, feed.id, { limit: 100 }),
      yield* store.list(workspace.id, idle.id, { limit: 100 }),
      yield* store.list(workspace.id, waiting.feedId, { limit: 100 })
    ]
  }),
  tasks: Effect.fnUntraced(function* ({ task, workspace }: WholeWorkspace) {
    const store = yield* TaskStore
    return [yield* store.get(task.id), yield* store.list({ workspaceId: workspace.id, limit: 100 })]
  }),
  deliveries: Effect.fnUntraced(function* ({ feed, job }: WholeWorkspace) {
    const store = yield* DeliveryStore
    return [
      yield* store.list(feed.id, { limit: 100 }),
      yield* store.countOpen(feed.id, job.id),
      yield* store.fileMark(feed.id)
    ]
  }),
  tables: Effect.fnUntraced(function* ({ field, table, workspace }: WholeWorkspace) {
    const store = yield* TableStore
    const marks = ["mark", "other"].map((mark) => ({ facet: field.id, mark }))
    return [
      yield* store.list([workspace.id]),
      yield* store.rows(wholeScan(table.id, { state: "any" })),
      yield* store.holders(table.id, marks)
    ]
  }),
  uploads: Effect.fnUntraced(function* ({ fileFeed, removed, upload }: WholeWorkspace) {
    const store = yield* UploadStore
    return [
      yield* store.list(fileFeed.id, {}),
      yield* store.bytes(upload.id),
      yield* store.bytes(removed.id),
      yield* store.shown(upload.id)
    ]
  }),
  enrichments: ({ workspace }: WholeWorkspace) =>
    Effect.flatMap(EnrichmentStore, (store) => store.list([workspace.id])),
  enrichmentRuns: ({ workspace }: WholeWorkspace) =>
    Effect.flatMap(EnrichmentRunStore, (store) => store.list([workspace.id])),
  patterns: ({ workspace }: WholeWorkspace) =>
    Effect.flatMap(MemoryPatternStore, (store) => store.list([workspace.id])),
  analyses: Effect.fnUntraced(function* ({ analysis, enrichment, workspace, write }: WholeWorkspace) {
    const store = yield* AnalysisStore
    return [
      yield* store.head(analysis),
      yield* store.members(analysis, enrichment.id, ["part"]),
      yield* store.partitions(analysis, enrichment.id, ["part"]),
      yield* store.outputs(analysis, enrichment.id, ["part"]),
      yield* store.notes(workspace.id, [write.id]),
      yield* store.facts(analysis, { enrichmentId: enrichment.id })
    ]
  }),
  recordChanges: ({ recordChange, workspace }: WholeWorkspace) =>
    Effect.flatMap(RecordChangeStore, (store) => store.ofRecord(workspace.id, recordChange.recordId, 10)),
  findings: ({ enrichment, workspace }: WholeWorkspace) =>
    Effect.flatMap(FindingStore, (store) => store.list(workspace.id, enrichment.id, { limit: 10 })),
  simulations: ({ simulation, workspace }: WholeWorkspace) =>
    Effect.flatMap(SimulationStore, (store) => store.get(workspace.id, simulation.id)),
  answers: ({ workspace }: WholeWorkspace) =>
    Effect.flatMap(AnswerCache, (store) => store.find(workspace.id, ["key"], true)),
  budgets: ({ budget }: WholeWorkspace) => Effect.flatMap(TokenBudget, (store) => store.use(budget)),
  messages: ({ workspace }: WholeWorkspace) =>
    Effect.flatMap(OutboxStore, (store) => store.list(workspace.id, { limit: 10 })),
  identity: Effect.fnUntraced(function* ({ scope }: WholeWorkspace) {
    const store = yield* IdentityStore
    return [
      yield* Effect.map(store.recall(scope), ({ now: _now, ...recalled }) => recalled),
      yield* store.aliases(scope, ["former", "later"]),
      yield* store.matches(scope, { limit: 100 }),
      yield* store.suggestions(scope, { limit: 100 }),
      yield* store.facts(scope)
    ]
  })
} satisfies Record<keyof typeof all, (of: WholeWorkspace) => Effect.Effect<unknown, unknown, StorageServices>>

export interface StoreCases {
  /** The methods that the store has. */
  readonly names: Effect.Effect<ReadonlyArray<string>, never, StorageServices>
  readonly methods: Readonly<Record<string, Call<StorageServices> | Open>>
  readonly tell: (of: WholeWorkspace) => Effect.Effect<unknown, unknown, StorageServices>
}

/** By the name of the store. */
export const storeCases: Readonly<Record<string, StoreCases>> =
  missing === "none"
    ? Object.fromEntries(
        Object.entries(all).map(([name, cases]) => [name, { ...cases, tell: tellings[name as keyof typeof all] }])
      )
    : {}

/** Everything that a workspace holds. */
export const portrait = (of: WholeWorkspace) =>
  Effect.forEach(Object.values(storeCases), ({ tell }) => tell(of), { concurrency: 4 })
