/** A provider whose bank has few rows, and which can be asked to prove its callbacks. */
import { CalendarDate } from "@millrace/core"
import { type ProviderDriver, WebhookRefused } from "@millrace/core/provider"
import { makeScriptedProvider, type TrueRow } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"

const { make: day } = CalendarDate

/** What its bank shows at first: two accounts, a year of them. */
const monthsShown = ["2025-09", "2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"]

export const makeSmallProvider = () => {
  const { bank, driver } = makeScriptedProvider({
    instance: "small",
    changeModel: "delta",
    scope: "account",
    idTrust: "perStatus",
    pageSize: 50,
    overlapDays: 10,
    historyDays: 400
  })
  const shown = bank("small", ["a", "b"])
  const post = (account: string, date: string, amount: string, description: string, pending = false): TrueRow =>
    shown.post({ account, date: day(date), amount, description, pending })
  for (const month of monthsShown) {
    post("a", `${month}-01`, "-1200", "OAK STREET RENT")
    post("a", `${month}-05`, "-12.99", "STREAMBOX SUBSCRIPTION")
    post("a", `${month}-10`, "-300", "TRANSFER TO SAVINGS")
    post("b", `${month}-10`, "300", "TRANSFER FROM CHECKING")
    post("a", `${month}-12`, "-5", "MONTHLY ACCOUNT FEE")
  }
  post("a", "2026-03-02", "-4.8", "GREEN TEA HOUSE")
  post("a", "2026-03-03", "-64.2", "BLUE HERON CAFE")
  post("a", "2026-03-03", "-64.2", "BLUE HERON CAFE")
  post("a", "2026-03-09", "-980", "NEW GARAGE LTD")
  const lamp = post("a", "2026-03-14", "-42", "LAMP SHOP", true)
  const store = post("a", "2026-03-14", "-90", "ONLINE STORE", true)

  let isHeld = false
  const scripted: ProviderDriver = {
    ...driver,
    open: (request) =>
      Effect.map(driver.open(request), (session) => ({
        ...session,
        pull: (asked) => Effect.suspend(() => (isHeld ? Effect.never : session.pull(asked)))
      })),
    name: "Small bank",
    capabilities: { ...driver.capabilities, webhooks: true },
    completeConnect: () =>
      Effect.succeed({
        connection: { ref: "small", secrets: {} },
        institution: { id: "small-1", name: "Small Bank", countryCodes: ["US"], status: "ok" },
        bankType: "bank"
      }),
    verifyWebhook: ({ headers }) =>
      headers["x-proof"] === "good" ? Effect.succeed([]) : Effect.fail(new WebhookRefused({ message: "no proof" }))
  }
  return {
    driver: scripted,
    /** Says whether the bank lets those wait who ask for data. */
    hold: (held: boolean) => {
      isHeld = held
    },
    /** What waited was booked: one row with another amount, the other one in two parts. */
    goOn: () => {
      shown.settle(lamp, { newId: true, link: false, change: { amount: "-49.56" } })
      shown.settle(store, { newId: true, link: false, change: { amount: "-30" } })
      post("a", "2026-03-14", "-60", "ONLINE STORE")
    }
  }
}

export type SmallProvider = ReturnType<typeof makeSmallProvider>
