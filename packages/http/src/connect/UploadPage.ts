/** The page on which a person uploads statement files to a feed. Whoever has its address may; it says nothing else of the workspace. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Digest, limits } from "@millrace/core"
import { redirectTo } from "@millrace/core/bank"
import { type OpenedUploadPage, UploadPages, Uploads } from "@millrace/core/kernel"
import type { Upload } from "@millrace/core/upload"
import { Refused } from "../answer/Refused.ts"
import * as BodyMemory from "../middleware/BodyMemory.ts"
import { fileOf, sizeOf } from "../middleware/RequestBody.ts"
import { backLink, parametersOf, unknownPage } from "./Ending.ts"
import { escaped, type Page, respondPage } from "./Page.ts"
import { guestSentence } from "./UploadWords.ts"
import { type Answer, answerOf, type KernelError } from "@millrace/core/operation"

/** Bytes that the files of all pages under way take together: no more than a part of what requests with a key have. */
const pageBytes = 2 * limits.uploadBytes + 4_194_304

const accepted = ".ofx,.qfx,.qif,.xml,.sta,.mt940,.940,.942,.txt,.csv"

const addressOf = (state: string, path = ""): string => `/connect/upload${path}?state=${encodeURIComponent(state)}`

const formOf = (state: string, label: string): string =>
  `<form method="post" enctype="multipart/form-data" action="${escaped(addressOf(state))}">
<label for="file">${label}</label>
<input id="file" name="file" type="file" required accept="${accepted}">
<p class="small">OFX, QFX, QIF, CAMT.052, CAMT.053, CAMT.054, MT940, MT942 or CSV, at most ${limits.uploadBytes / 1_048_576} MiB.</p>
<div class="row"><button>Upload</button></div>
</form>`

const emptyPage = ({ feed }: OpenedUploadPage, state: string, notice = ""): Page => ({
  title: `${feed.name}: upload a statement`,
  body: `${notice}<p>Choose a file that you downloaded from your bank. A file that was uploaded before, or that overlaps with another one, doubles nothing.</p>
${formOf(state, "Statement file")}
<div class="row"><a class="button plain" href="${escaped(addressOf(state, "/end"))}">Cancel</a></div>`
})

const rowsOf = (rows: number): string => (rows === 1 ? "1 row" : `${rows.toLocaleString("en-US")} rows`)

/** One account of the file: what was read, and whether its balances agree. */
const statementLine = ({
  account,
  closingBalance,
  currency,
  difference,
  from,
  openingBalance,
  rows,
  to
}: Upload["statements"][number]): string => {
  const period = from === undefined || to === undefined ? "" : from === to ? ` of ${from}` : ` from ${from} to ${to}`
  const balances =
    openingBalance === undefined || closingBalance === undefined || difference === undefined
      ? ""
      : difference === "0"
        ? ` Opening balance ${openingBalance} and rows make the closing balance ${closingBalance}.`
        : ` Opening balance ${openingBalance} and rows differ from the closing balance ${closingBalance} by ${difference} ${currency}: rows may be missing in the file.`
  const name = /[\p{L}\p{N}]/u.test(account) ? `Account ${account}` : "An account without a number"
  return `<li>${escaped(name)}: ${rowsOf(rows)}${period}, in ${escaped(currency)}.${escaped(balances)}</li>`
}

const donePage = (opened: OpenedUploadPage, state: string, upload: Upload, created: boolean): Page => ({
  title: created ? "The file was uploaded" : "This file was uploaded before",
  body: `<p class="good" role="status">${escaped(upload.fileName)} ${created ? "was read" : "is there already, and nothing was doubled"}.</p>
<ul>
${upload.statements.map(statementLine).join("\n")}
</ul>
${upload.warnings.map((warning) => `<p>${escaped(guestSentence(warning))}</p>`).join("\n")}
${formOf(state, "Another file")}
<div class="row"><a class="button plain" href="${escaped(addressOf(state, "/end") + "&uploaded=1")}">Done</a></div>`
})

/** What is wrong with the file, with the line or element where that is known. */
const noticeOf = ({ details = [], message }: Answer): string => {
  const more = details.filter((detail) => !message.includes(detail.message))
  const list = more.map(
    ({ field, message: text }) => `<li>${escaped(guestSentence(field === undefined ? text : `${field} ${text}`))}</li>`
  )
  return `<div role="alert"><p class="note">The file was not uploaded, and nothing of it was kept. ${escaped(guestSentence(message))}</p>${list.length === 0 ? "" : `<ul>${list.join("")}</ul>`}</div>`
}

const endPage = ({ redirectUri }: OpenedUploadPage, uploaded: boolean): Page => ({
  title: uploaded ? "Your files are uploaded" : "Nothing was uploaded",
  body: `<p role="status">${uploaded ? "Their rows appear with the next sync of the feed." : "You stopped before a file was sent."}</p>${backLink(
    redirectUri === undefined ? undefined : redirectTo(redirectUri, { status: uploaded ? "uploaded" : "cancelled" })
  )}`
})

const makePages = Effect.gen(function* () {
  const pages = yield* UploadPages
  const uploads = yield* Uploads
  const digest = yield* Digest
  const bodies = BodyMemory.make(pageBytes)
  const respond = (page: Page) => respondPage(page, digest.randomText(24))

  /** Nothing of a body is read before the address is known to be good. */
  const withPage = (use: (opened: OpenedUploadPage, state: string) => Effect.Effect<Page, never, HttpServerRequest>) =>
    Effect.gen(function* () {
      const state = parametersOf((yield* HttpServerRequest).url).get("state") ?? ""
      const opened = yield* pages.open(state)
      if (Option.isNone(opened)) return respond(unknownPage("upload files"))
      const { admitted, retryAfter } = opened.value.decision
      if (!admitted) {
        const body = `<p role="alert">Too many requests came to the upload pages. Try again in ${retryAfter} s.</p>`
        return respond({ status: 429, title: "Try again later", body })
      }
      return respond(yield* use(opened.value, state))
    }).pipe(
      Effect.catch((error: KernelError) => {
        const { message, status } = answerOf(error)
        const title = "This did not work"
        return Effect.succeed(respond({ status, title, body: `<p role="alert">${escaped(message)}</p>` }))
      })
    )

  const take = Effect.fnUntraced(function* (opened: OpenedUploadPage, state: string) {
    const request = yield* HttpServerRequest
    const room = yield* bodies.take(sizeOf(request, "file"))
    const { created, upload } = yield* Effect.ensuring(
      Effect.flatMap(fileOf(request), (file) => uploads.add(opened.caller, opened.feed.id, file)),
      bodies.release(room)
    )
    return donePage(opened, state, upload, created)
  })

  return {
    show: withPage((opened, state) => Effect.succeed(emptyPage(opened, state))),
    take: withPage((opened, state) =>
      Effect.catch(take(opened, state), (error) => {
        const answer = error instanceof Refused ? error.answer : answerOf(error)
        return Effect.succeed({ ...emptyPage(opened, state, noticeOf(answer)), status: answer.status })
      })
    ),
    end: Effect.flatMap(HttpServerRequest, ({ url }) =>
      withPage((opened) => Effect.succeed(endPage(opened, parametersOf(url).has("uploaded"))))
    )
  }
})

/** The routes, for `Routes`: they stand beside the API, and need no credential. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const pages = yield* makePages
    return Layer.mergeAll(
      HttpRouter.add("GET", "/connect/upload", pages.show),
      HttpRouter.add("POST", "/connect/upload", pages.take),
      HttpRouter.add("GET", "/connect/upload/end", pages.end)
    )
  })
)
