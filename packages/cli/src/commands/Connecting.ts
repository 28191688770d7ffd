/** Connecting a bank from the command line: a page in the browser for the person, and waiting here for how it ends. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { ConnectionUnsuccessful } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import { isArray, isObject, type Json, type JsonObject } from "../output/ExactJson.ts"
import { Output } from "../program/Output.ts"
import { program } from "../program/Program.ts"
import { bodyOf, recordOf, rowsOf } from "../request/Requests.ts"
import { openBrowser } from "../program/Browser.ts"

const textAt = (value: Json | undefined, key: string): string => {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === "string" ? found : ""
}

/** Seconds between looks at an attempt (decisions 5.2). */
const pauseSeconds = 3

/** The bank of an attempt with its accounts. */
const showBank = Effect.fnUntraced(function* (bankId: string) {
  const api = yield* Api
  const notes = yield* Notes
  const accounts = yield* rowsOf(
    yield* bodyOf(yield* api.send({ method: "GET", path: `/v1/banks/${bankId}/accounts` }))
  )
  yield* notes.endProgress
  // After them: a look at the accounts is one at how the bank is, too.
  const bank = yield* recordOf(yield* api.send({ method: "GET", path: `/v1/banks/${bankId}` }))
  const { links: _, ...rest } = bank
  yield* (yield* Output).record({
    ...rest,
    accounts: accounts.map(({ accountName, accountNumber, balance, currency, id }) => ({
      id: id!,
      accountName: accountName!,
      accountNumber: accountNumber!,
      balance: balance!,
      currency: currency!
    }))
  })
})

const open: ReadonlySet<string> = new Set(["open", "completing"])

/** Waits until the attempt has ended; shows the bank, or fails with why there is none. */
const waitForAttempt = Effect.fn("Connecting.waitForAttempt")(function* (attemptId: string) {
  const api = yield* Api
  const notes = yield* Notes
  for (;;) {
    const attempt = yield* recordOf(
      yield* api.send({ method: "GET", path: `/v1/banks/connections/attempts/${attemptId}` })
    )
    const state = textAt(attempt, "state")
    if (!open.has(state)) {
      const bankId = textAt(attempt, "bankId")
      if (state === "completed" && bankId !== "") return yield* showBank(bankId)
      yield* notes.endProgress
      const why = textAt(attempt["error"], "message")
      return yield* new ConnectionUnsuccessful({
        message: `The attempt is ${state}${why === "" ? "" : `: ${why.replace(/\.$/, "")}`}. Start another one.`
      })
    }
    yield* notes.progress(state === "open" ? "waiting for you in the browser" : "reading the accounts")
    yield* Effect.sleep(Duration.seconds(pauseSeconds))
  }
})

/** What a started connection asks of the person. */
const pageOf = (started: JsonObject): string => textAt(started, "connectUrl") || textAt(started, "url")

const tellExisting = Effect.fnUntraced(function* ({ existingBanks }: JsonObject) {
  if (!isArray(existingBanks)) return
  const notes = yield* Notes
  for (const bank of existingBanks) {
    const needs = isObject(bank) && bank["requiresReauth"] === true ? ", which must be reconnected" : ""
    yield* notes.say(`There is ${textAt(bank, "name")} (${textAt(bank, "id")}) already${needs}.`)
  }
  yield* notes.say("Choose on the page, or add --new for another connection.")
})

/** Opens the page of a connection that was started, and waits for how it ends. */
export const goThrough = Effect.fn("Connecting.goThrough")(function* (
  started: JsonObject,
  { browser, wait }: { readonly browser: boolean; readonly wait: boolean }
) {
  const notes = yield* Notes
  yield* tellExisting(started)
  const [attemptId, page] = [textAt(started, "attemptId"), pageOf(started)]
  if (page === "" || !wait) {
    if (page !== "") yield* notes.say(`Go on in a browser: ${page}`)
    yield* notes.say(`Then: ${program} banks complete --attempt ${attemptId} ...`)
    return yield* (yield* Output).record(started)
  }
  yield* notes.say(`Go on in your browser: ${page}`)
  if (browser) yield* openBrowser(page)
  return yield* waitForAttempt(attemptId)
})
