/** What pages for people have in common besides their look: the address they came with, and how they end. */
import { escaped, type Page } from "./Page.ts"
import { english, type Words } from "./Words.ts"

export const parametersOf = (url: string): URLSearchParams => new URLSearchParams(url.split("?", 2)[1] ?? "")

/** `what` is what the page would have been for, such as "connect a bank". */
export const unknownPage = (what: string): Page => ({
  status: 404,
  title: "This page is no longer valid",
  body: `<p>It was made to ${what}, and this server does not know it, or knows it no longer.</p><p>Go back to where you came from and start again.</p>`
})

type BackWords = Pick<Words, "closeWindow" | "goBack">

/** The way on from the last page; `isSecond` beside another button. */
export const backLink = (
  url: string | undefined,
  { closeWindow, goBack }: BackWords = english,
  isSecond = false
): string =>
  url === undefined
    ? `<p>${escaped(closeWindow)}</p>`
    : `<p class="go"><a class="button${isSecond ? " plain" : ""}" href="${escaped(url)}" rel="noreferrer">${escaped(goBack)}</a></p>`
