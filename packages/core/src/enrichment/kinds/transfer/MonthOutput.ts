/** What is said of a month: claims, links and events (enrichments C8). */
import type { Id } from "../../../shared/Ids.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { AccountType } from "../../../provider/AccountType.ts"
import type { PartitionPlan, PlannedEvent, PlannedFinding, PlannedLink, SetAccount, SetClaim } from "../SetKind.ts"
import { type Calibration } from "./Calibration.ts"
import type { Broken, Fixed } from "./Decisions.ts"
import type { MonthLeg, MonthLegs } from "./MonthLegs.ts"
import type { MonthView } from "./MonthView.ts"
import type { ChosenPair } from "./PairAssignment.ts"
import type { ScoredPair, Side } from "./PairScore.ts"
import { type Linked, type Member, memberOf, membersOf, suggestionOf } from "./Suggestion.ts"
import type { TransferConfig } from "./TransferConfig.ts"
import {
  confidenceText,
  feeText,
  kindOf,
  type Proof,
  proofConfidence,
  rateText,
  stateOf,
  type TransferEvidence,
  type TransferKind
} from "./TransferEvidence.ts"
import type { TransferState } from "./TransferState.ts"
import { transferEvents } from "./TransferEvents.ts"

export interface OutputInput {
  readonly view: MonthView
  readonly chosen: ReadonlyArray<ChosenPair>
  /** Those of the last time, for what is reported. */
  readonly before: ReadonlyArray<ChosenPair>
  /** Made by people, with outflows of this month. */
  readonly fixed: ReadonlyArray<Fixed>
  readonly broken: ReadonlyArray<Broken>
  /** All records that are in a link, of other months too. */
  readonly linked: () => ReadonlySet<string>
  readonly silent: ReadonlySet<string>
  readonly calibration: Calibration
  readonly config: TransferConfig
  readonly accounts: ReadonlyMap<Id<"account">, SetAccount>
  readonly enrichmentId: string
  readonly today: CalendarDate.CalendarDate
  readonly linkIdOf: (members: ReadonlyArray<{ readonly recordId: string; readonly role: string }>) => string
}

/** Days after which nobody wants to hear any more that the other side has not come. */
const toldForDays = 45

/** The day from which on it is said that the other side has not come. */
export const toldFrom = (today: CalendarDate.CalendarDate, { windowDays }: TransferConfig): number =>
  CalendarDate.toEpochDay(today) - toldForDays - windowDays.after - 1

type Said = Pick<PartitionPlan<TransferState, TransferEvidence>, "claims" | "links" | "events" | "findings" | "due">

/** Records that belong together, with what is said of them. */
interface Link {
  readonly pair: Linked
  readonly members: ReadonlyArray<Member>
  readonly id: string
  readonly kind: TransferKind
  readonly state: "suggested" | "auto" | "confirmed"
  readonly why: Pick<TransferEvidence, "proof" | "decided">
  readonly confidence: string
}

export class MonthOutput {
  private readonly input: OutputInput
  private readonly claims: Array<SetClaim<TransferEvidence>> = []
  private readonly links: Array<PlannedLink<TransferEvidence>> = []
  private readonly events: Array<PlannedEvent> = []
  private readonly findings: Array<PlannedFinding> = []
  private due: CalendarDate.CalendarDate | undefined

  constructor(input: OutputInput) {
    this.input = input
  }

  said(): Said {
    const { broken, calibration, chosen, config, fixed, view } = this.input
    const before = new Map(this.input.before.map((one) => [this.idOf(membersOf(one.pair)), one]))
    const groups = view.groups.map((pair): ChosenPair => ({ pair, margin: pair.score, interchangeable: false }))
    for (const one of [...chosen, ...groups]) {
      const { interchangeable, margin, pair, rival } = one
      const { a, b } = calibration.of(pair.out.date as CalendarDate.CalendarDate)
      const proof: Proof =
        rival === undefined ? { pair, margin, interchangeable, a, b } : { pair, margin, rival, interchangeable, a, b }
      const confidence = proofConfidence(proof)
      const members = membersOf(pair)
      const id = this.idOf(members)
      const isNews = !before.delete(id)
      if (confidence < config.suggestConfidence * 10_000) continue
      const state = stateOf(pair, confidence, config)
      const kind = this.kindOf(pair)
      this.link({ pair, members, id, kind, state, why: { proof }, confidence: confidenceText(confidence) })
      if (isNews) this.tell(state === "auto" ? "transfer.linked" : "transfer.suggested", pair, id, kind)
    }
    for (const [id, { pair }] of before) {
      // What a person decided was no surprise to them.
      if (this.input.fixed.some(({ out }) => out.recordId === pair.out.recordId)) continue
      this.events.push(
        transferEvents["transfer.unlinked"].planned({
          key: `unlinked:${id}`,
          subjectId: this.input.enrichmentId,
          data: { linkId: id, outRecordId: pair.out.recordId, inRecordId: pair.in.recordId }
        })
      )
    }
    for (const pair of fixed) {
      const members = membersOf(pair)
      const [id, kind, why] = [this.idOf(members), this.kindOf(pair), { decided: "confirmed" } as const]
      this.link({ pair, members, id, kind, state: "confirmed", why, confidence: "1" })
    }
    for (const one of broken) this.breakOff(one)
    this.findUnmatched()
    return { claims: this.claims, links: this.links, events: this.events, findings: this.findings, due: this.due }
  }

  private idOf(members: ReadonlyArray<Member>): string {
    return this.input.linkIdOf(members)
  }

  private typeOf({ accountId }: Side): AccountType {
    return this.input.accounts.get(accountId as Id<"account">)?.accountType ?? "unknown"
  }

  private kindOf({ in: into, out }: Linked): TransferKind {
    return kindOf(this.typeOf(out), this.typeOf(into), out.currency === into.currency)
  }

  private tell(
    type: "transfer.linked" | "transfer.suggested",
    pair: ScoredPair,
    linkId: string,
    kind: TransferKind
  ): void {
    const data = { linkId, outRecordId: pair.out.recordId, inRecordId: pair.in.recordId, kind }
    const { enrichmentId: subjectId } = this.input
    this.events.push(transferEvents[type].planned({ key: `${type}:${linkId}`, subjectId, data }))
  }

  private link(link: Link): void {
    const { confidence, id, kind, members, pair, state, why } = link
    const { in: into, out, second } = pair
    if (second === undefined) {
      this.side(link, out, into, "out", true)
      this.side(link, into, out, "in", true)
    } else {
      // Who has two others has none to name.
      this.side(link, out, into, "out", second.role === "out")
      this.side(link, into, out, "in", second.role === "in")
      this.side(link, second, second.role === "in" ? out : into, second.role, true)
    }
    // It stays to be seen after a person has said yes, so that they may think better of it.
    if (state !== "auto") this.findings.push(suggestionOf(pair, id, confidence, this.input.accounts))
    const amounts = second === undefined ? { left: out.amount, arrived: into.amount } : {}
    this.links.push({
      kind: "transfer",
      members,
      state,
      evidence: { id, role: "out", kind, ...why, counterpartAccountId: into.accountId, ...amounts }
    })
  }

  /** What is said of one record of a link. `one`: whether there is one record on the other side, which can be named. */
  private side(link: Link, side: Side, other: Side, role: "out" | "in", one: boolean): void {
    const { confidence, id, kind, pair, state, why } = link
    const { claims } = this
    const { recordId } = side
    const [counterpartRecordId, counterpartAccountId] = [other.recordId, other.accountId]
    // Many claims rest on the same, which is written once.
    const evidence: TransferEvidence =
      one && why.decided === undefined
        ? { id, role, kind, counterpartRecordId, counterpartAccountId }
        : {
            id,
            role,
            kind,
            ...(why.decided === undefined ? {} : { decided: why.decided }),
            ...(one ? { counterpartRecordId } : {}),
            counterpartAccountId
          }
    const reasons: TransferEvidence =
      one && why.decided === undefined
        ? { id, role, kind, counterpartRecordId, counterpartAccountId, proof: why.proof! }
        : { ...evidence, ...why }
    claims.push({ recordId, field: "transfer.id", value: id, evidence })
    claims.push({ recordId, field: "transfer.role", value: role, evidence })
    claims.push({ recordId, field: "transfer.kind", value: kind, evidence })
    claims.push({ recordId, field: "transfer.state", value: state, evidence: reasons })
    claims.push({ recordId, field: "transfer.confidence", value: confidence, evidence: reasons })
    if (one) {
      claims.push({ recordId, field: "transfer.counterpartRecordId", value: counterpartRecordId, evidence })
    }
    claims.push({ recordId, field: "transfer.counterpartAccountId", value: counterpartAccountId, evidence })
    if (pair.second === undefined) {
      const [left, arrived] = [pair.out.amount, pair.in.amount]
      if (pair.out.currency !== pair.in.currency) {
        const because = { ...evidence, left, arrived }
        claims.push({ recordId, field: "transfer.rate", value: rateText(left, arrived), evidence: because })
      } else if (left !== arrived) {
        const because = { ...evidence, left, arrived }
        claims.push({ recordId, field: "transfer.fee", value: feeText(left, arrived), evidence: because })
      }
    }
    const { setCategory } = this.input.config
    if (setCategory !== undefined && state !== "suggested") {
      claims.push({ recordId, field: "category", value: setCategory, evidence })
    }
  }

  /** A person's link with one record gone: said as long as the other one can be in no link. */
  private breakOff({ goneId, left }: Broken): void {
    const { accounts, silent, view } = this.input
    const { seen } = view
    const leg = seen?.legs.find(left.recordId)
    if (seen === undefined || leg === undefined || silent.has(left.recordId)) return
    if (this.input.linked().has(left.recordId) || mayMeetAny(seen, leg)) return
    const type = accounts.get(leg.accountId)?.accountType ?? "unknown"
    const evidence: TransferEvidence = {
      id: this.input.linkIdOf([memberOf("out")({ recordId: leg.recordId }), memberOf("in")({ recordId: goneId })]),
      role: leg.out ? "out" : "in",
      kind: kindOf(type, type, true),
      decided: "broken",
      counterpartRecordId: goneId
    }
    this.claims.push(
      { recordId: leg.recordId, field: "transfer.state", value: "broken", evidence },
      { recordId: leg.recordId, field: "transfer.counterpartRecordId", value: goneId, evidence }
    )
  }

  private findUnmatched(): void {
    const { config, today, view } = this.input
    if (view.seen === undefined) return
    const { legs } = view.seen
    const oldest = toldFrom(today, config)
    if (legs.to <= oldest) return
    for (const all of [legs.outs, legs.ins]) {
      for (const leg of all) if (leg.day >= oldest) this.lookAt(legs, leg)
    }
  }

  /** Says of one that speaks of a transfer that its other side has not come, or when that will be so. */
  private lookAt(legs: MonthLegs, leg: MonthLeg): void {
    const { config, linked, today } = this.input
    if (!legs.isOwn(leg) || leg.pending) return
    const { read, signs } = leg
    if (!read.transfer || read.party !== "" || signs.purchase || signs.refund || signs.earning) return
    if (linked().has(leg.recordId)) return
    const day = CalendarDate.addDays(leg.date, config.windowDays.after + 1)
    if (day > today) {
      this.due = this.due === undefined ? day : CalendarDate.min(this.due, day)
      return
    }
    this.events.push(
      transferEvents["transfer.unmatched"].planned({
        key: `unmatched:${leg.recordId}`,
        subjectId: this.input.enrichmentId,
        data: { recordId: leg.recordId, accountId: leg.accountId, date: leg.date }
      })
    )
  }
}

const mayMeetAny = ({ candidates, legs }: NonNullable<MonthView["seen"]>, leg: MonthLeg): boolean =>
  leg.out
    ? legs.ins.some((into) => candidates.fit(leg, into) !== undefined)
    : legs.outs.some((out) => candidates.fit(out, leg) !== undefined)
