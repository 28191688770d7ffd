/** The page of a trial on which a person breaks its banks on purpose, to see what happens to it: `/trial/banks` at the stand-in. */
import { Decimal } from "@millrace/core"
import type { FakeAnswer, FakeRequest } from "../upstream/FakeRequest.ts"
import type { FakeConnection, FakeUpstream } from "../upstream/FakeUpstream.ts"
import type { Breakage } from "../upstream/Incident.ts"
import { trialForm, trialHeading, trialPage } from "../upstream/TrialPage.ts"

export const deskPath = "/trial/banks"

const breakageLabels: Readonly<Record<Breakage, string>> = {
  reauth: "Ask for a new sign-in",
  consentExpired: "End the consent",
  gone: "Lose the connection",
  institutionDown: "Take the bank offline"
}

const other = {
  rows: "Send a row that cannot be read",
  mend: "Mend everything",
  customer: "Lose the customer, with all banks"
}

/** A row comes in whose fields cannot be read, from now on until everything is mended. */
const sendBrokenRow = ({ server }: FakeUpstream, { idOf = (id) => id, ledger }: FakeConnection): void => {
  const account = ledger.listed.find(({ supports }) => supports.includes("transactions"))
  if (account === undefined) return
  const row = ledger.post({ account: account.key, amount: Decimal.make("-12.5"), description: "ROW WITH FAULTS" })
  const kept = ledger.listed.map(({ id }) => idOf(id))
  server.plan({ incident: { kind: "unreadableRow", id: idOf(row.id), kept }, times: Infinity })
}

const hasTransactions = ({ ledger }: FakeConnection): boolean =>
  ledger.listed.some(({ supports }) => supports.includes("transactions"))

const actionsOf = (
  fake: FakeUpstream,
  one: FakeConnection
): ReadonlyArray<readonly [action: string, label: string]> => [
  ...fake.breakages.map((how) => [how, breakageLabels[how]] as const),
  ...(hasTransactions(one) ? [["rows", other.rows] as const] : []),
  ["mend", other.mend]
]

const page = (fake: FakeUpstream): FakeAnswer => {
  const live = fake.connections.filter(({ isRevoked }) => !isRevoked)
  if (live.length === 0)
    return trialPage("No bank is connected to this trial yet. Connect one, and load this page again.", "")
  const banks = live.map(
    (one) =>
      trialHeading(one.institution.name, one.ref) +
      actionsOf(fake, one)
        .map(([action, label]) => trialForm({ bank: one.ref, action }, label))
        .join("")
  )
  const lost = fake.loseSubjects === undefined ? "" : trialForm({ action: "customer" }, other.customer)
  return trialPage(
    "Break a bank, and see what Millrace makes of it with the next sync or look. What you do here happens at the stand-in of the provider.",
    banks.join("") + lost
  )
}

const act = (fake: FakeUpstream, { body }: FakeRequest): void => {
  const fields = new URLSearchParams(body)
  const action = fields.get("action")
  if (action === "customer") return fake.loseSubjects?.()
  const one = fake.connections.find(({ isRevoked, ref }) => !isRevoked && ref === fields.get("bank"))
  if (one === undefined) return
  if (action === "rows") return sendBrokenRow(fake, one)
  if (action === "mend") {
    fake.server.calm()
    return fake.mend(one.ref)
  }
  const how = fake.breakages.find((breakage) => breakage === action)
  if (how !== undefined) fake.break(one.ref, how)
}

/** Answers requests of the page; `undefined` for all others, which are the upstream's. */
export const trialDesk =
  (fake: FakeUpstream) =>
  (request: FakeRequest): FakeAnswer | undefined => {
    if (request.path !== deskPath) return undefined
    if (request.method === "POST") {
      act(fake, request)
      return { status: 303, headers: { location: deskPath }, body: "", contentType: "text/plain" }
    }
    return page(fake)
  }
