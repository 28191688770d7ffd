/** What pages for people have in common besides their look: the address they came with, and how they end. */
import { escaped, type Page } from "./Page.ts"

export const parametersOf = (url: string): URLSearchParams => new URLSearchParams(url.split("?", 2)[1] ?? "")

/** `what` is what the page would have been for, such as "connect a bank". */
export const unknownPage = (what: string): Page => ({
  status: 404,
  title: "This page is no longer valid",
  body: `<p>It was made to ${what}, and this server does not know it, or knows it no longer.</p><p>Go back to where you came from and start again.</p>`
})

/** The way on from the last page. */
export const backLink = (url: string | undefined): string =>
  url === undefined
    ? "<p>You can close this window.</p>"
    : `<p class="go"><a class="button" href="${escaped(url)}" rel="noreferrer">Go back</a></p>`
