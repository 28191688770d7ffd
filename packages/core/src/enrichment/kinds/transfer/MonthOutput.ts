/** What is said of a month: claims, links and events (enrichments C8). */
import type { Id } from "../../../shared/Ids.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type { PartitionPlan, PlannedEvent, PlannedFinding, PlannedLink, SetAccount, SetClaim } from "../SetKind.ts"
import { type Calibration } from "./Calibration.ts"
import type { Broken, Fixed } from "./Decisions.ts"
import type { MonthView } from "./MonthView.ts"
import type { ChosenPair } from "./PairAssignment.ts"
import type { ScoredPair, Side } from "./PairScore.ts"
import { type Linked, memberOf, membersOf, suggestionOf } from "./Suggestion.ts"
import type { TransferConfig } from "./TransferConfig.ts"
import {
  confidenceText,
  feeText,
  kindOf,
  type Proof,
  proofConfidence,
  rateText,
  stateOf,
  type TransferEvidence
} from "./TransferEvidence.ts"
import type { TransferState } from "./TransferState.ts"
import { transferEvents } from "./TransferEvents.ts"

export interface OutputInput {
  readonly view: MonthView
  readonly chosen: ReadonlyArray<ChosenPair>
  /** Those of the last time, for what is told. */
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

type Said = Pick<PartitionPlan<TransferState, TransferEvidence>, "claims" | "links" | "events" | "findings" | "due">

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
    const before = new Map(this.input.before.map((one) => [this.idOf(one.pair), one]))
    const groups = view.groups.map((pair): ChosenPair => ({ pair, margin: pair.score, interchangeable: false }))
    for (const one of [...chosen, ...groups]) {
      const { interchangeable, margin, pair, rival } = one
      const proof: Proof = {
        pair,
        margin,
        ...(rival === undefined ? {} : { rival }),
        interchangeable,
        ...calibration.of(pair.out.date as CalendarDate.CalendarDate)
      }
      const confidence = proofConfidence(proof)
      const id = this.idOf(pair)
      const isNews = !before.delete(id)
      if (confidence < config.suggestConfidence * 10_000) continue
      const state = stateOf(pair, confidence, config)
      this.link(pair, id, state, { proof }, confidenceText(confidence))
      if (isNews) this.tell(state === "auto" ? "transfer.linked" : "transfer.suggested", pair, id)
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
    for (const pair of fixed) this.link(pair, this.idOf(pair), "confirmed", { decided: "confirmed" }, "1")
    for (const one of broken) this.breakOff(one)
    this.findUnmatched()
    return { claims: this.claims, links: this.links, events: this.events, findings: this.findings, due: this.due }
  }

  private idOf(pair: Linked): string {
    return this.input.linkIdOf(membersOf(pair))
  }

  private kindOf(pair: Pick<ScoredPair, "in" | "out">) {
    const { accounts } = this.input
    const typeOf = ({ accountId }: Pick<Side, "accountId">) =>
      accounts.get(accountId as Id<"account">)?.accountType ?? "unknown"
    return kindOf(typeOf(pair.out), typeOf(pair.in), pair.out.currency === pair.in.currency)
  }

  private tell(type: "transfer.linked" | "transfer.suggested", pair: ScoredPair, linkId: string): void {
    const data = { linkId, outRecordId: pair.out.recordId, inRecordId: pair.in.recordId, kind: this.kindOf(pair) }
    const { enrichmentId: subjectId } = this.input
    this.events.push(transferEvents[type].planned({ key: `${type}:${linkId}`, subjectId, data }))
  }

  private link(
    pair: Linked,
    id: string,
    state: "suggested" | "auto" | "confirmed",
    why: Pick<TransferEvidence, "proof" | "decided">,
    confidence: string
  ): void {
    const { in: into, out, second } = pair
    const { config } = this.input
    const kind = this.kindOf(pair)
    const sides = [
      { side: out, role: "out" as const, other: into },
      { side: into, role: "in" as const, other: out },
      ...(second === undefined ? [] : [{ side: second, role: second.role, other: second.role === "in" ? out : into }])
    ]
    const amounts = second === undefined ? { left: out.amount, arrived: into.amount } : {}
    const decided = why.decided === undefined ? {} : { decided: why.decided }
    for (const { other, role, side } of sides) {
      // Who has two others has none to name.
      const one = second === undefined || second.role === role
      const evidence: TransferEvidence = {
        id,
        role,
        kind,
        ...decided,
        ...(one ? { counterpartRecordId: other.recordId } : {}),
        counterpartAccountId: other.accountId
      }
      // Many claims rest on the same, which is written once.
      const reasons: TransferEvidence = { ...evidence, ...why }
      const claim = (field: string, value: FieldValue, because = evidence) =>
        this.claims.push({ recordId: side.recordId, field, value, evidence: because })
      claim("transfer.id", id)
      claim("transfer.role", role)
      claim("transfer.kind", kind)
      claim("transfer.state", state, reasons)
      claim("transfer.confidence", confidence, reasons)
      if (one) claim("transfer.counterpartRecordId", other.recordId)
      claim("transfer.counterpartAccountId", other.accountId)
      if (second === undefined && out.currency !== into.currency) {
        claim("transfer.rate", rateText(out.amount, into.amount), { ...evidence, ...amounts })
      } else if (second === undefined && out.amount !== into.amount) {
        claim("transfer.fee", feeText(out.amount, into.amount), { ...evidence, ...amounts })
      }
      if (config.setCategory !== undefined && state !== "suggested") claim("category", config.setCategory)
    }
    // It stays to be seen after a person has said yes, so that they may think better of it.
    if (state !== "auto") this.findings.push(suggestionOf(pair, id, confidence, this.input.accounts))
    this.links.push({
      kind: "transfer",
      members: membersOf(pair),
      state,
      evidence: { id, role: "out", kind, ...why, counterpartAccountId: into.accountId, ...amounts }
    })
  }

  /** A person's link of which one record is gone: said as long as the other one can be in no link. */
  private breakOff({ goneId, left }: Broken): void {
    const { accounts, silent, view } = this.input
    const place = view.legs.placeOf(left.recordId)
    if (place === undefined || silent.has(left.recordId)) return
    if (this.input.linked().has(left.recordId) || this.mayMeetAny(place)) return
    const leg = view.legs.leg(place)
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

  private mayMeetAny(leg: number): boolean {
    const { candidates, legs } = this.input.view
    return legs.isOut(leg)
      ? legs.ins.some((into) => candidates.fit(leg, into) !== undefined)
      : legs.outs.some((out) => candidates.fit(out, leg) !== undefined)
  }

  private findUnmatched(): void {
    const { config, today, view } = this.input
    const { legs } = view
    const oldest = CalendarDate.toEpochDay(today) - toldForDays - config.windowDays.after - 1
    if (legs.to <= oldest) return
    for (const all of [legs.outs, legs.ins]) for (const leg of all) if (legs.day[leg]! >= oldest) this.lookAt(leg)
  }

  /** Says of one that speaks of a transfer that its other side has not come, or when that will be so. */
  private lookAt(place: number): void {
    const { config, linked, today, view } = this.input
    const { legs } = view
    if (!legs.isOwn(place) || legs.isPending(place)) return
    const { read, signs } = legs.textOf(place)
    if (!read.transfer || read.party !== "" || signs !== 0) return
    const leg = legs.leg(place)
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
