/** How an attempt to connect a bank ended, or goes on without its person. */
import { redirectTo } from "@millrace/core/bank"
import type { ReturnedAttempt } from "@millrace/core/kernel"
import { backLink } from "./Ending.ts"
import { escaped, type Page } from "./Page.ts"
import type { Words } from "./Words.ts"

/** Where the caller wants the browser: `connectionId` only where it still has to complete the attempt with it. */
export const backOf = ({ attempt }: ReturnedAttempt, status: string, connectionId?: string): string | undefined =>
  attempt.redirectUri === undefined
    ? undefined
    : redirectTo(attempt.redirectUri, { attemptId: attempt.attemptId, status, connectionId })

export const donePage = (returned: ReturnedAttempt, words: Words, bankName: string | undefined): Page => {
  const url = backOf(returned, "connected")
  return {
    title: words.doneTitle,
    body: `<p class="good" role="status">${escaped(words.done(bankName))}</p>${backLink(url, words)}`,
    // Applications have schemes of their own, that a browser opens on a click alone.
    ...(url?.startsWith("http") === true ? { refresh: { url, seconds: 2 } } : {})
  }
}

export const workingPage = (state: string, words: Words): Page => ({
  title: words.workingTitle,
  body: `<p role="status">${escaped(words.working)}</p>`,
  refresh: { url: `/connect/attempt?state=${encodeURIComponent(state)}`, seconds: 3 }
})

/** Another attempt by the same person, where it takes no other one over. */
const againForm = ({ attempt, provider }: ReturnedAttempt, state: string, words: Words): string =>
  provider === undefined || attempt.state === "superseded"
    ? ""
    : `<form method="post" action="${escaped(`/connect/attempt/again?state=${encodeURIComponent(state)}`)}"><button>${escaped(words.tryAgain)}</button></form>\n`

export const endedPage = (returned: ReturnedAttempt, state: string, words: Words, why: string | undefined): Page => {
  const { error, state: ended } = returned.attempt
  const isCancelled = error?.code === "CONNECTION_CANCELLED"
  const sentence =
    isCancelled || !(ended in words.ended) ? words.cancelled : words.ended[ended as keyof typeof words.ended]
  const reason = isCancelled || why === undefined ? "" : `<p>${escaped(why)}</p>`
  const again = againForm(returned, state, words)
  return {
    title: isCancelled ? words.cancelledTitle : words.endedTitle,
    body: `<p role="status">${escaped(sentence)}</p>${reason}${again}${backLink(backOf(returned, isCancelled ? "cancelled" : "failed"), words, again !== "")}`
  }
}
