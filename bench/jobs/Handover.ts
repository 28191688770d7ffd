/** What became of jobs whose runner ended in the middle of them. */
import type { Heard } from "./Fleet.ts"

type Page = Extract<Heard, { readonly kind: "fetching" }>
type Ended = Extract<Heard, { readonly kind: "ended" }>

interface Departure {
  /** Jobs that the runner was at when it ended. */
  readonly jobs: ReadonlyArray<string>
  readonly runner: number
  readonly at: number
}

export interface Handover {
  /** Seconds until the last of those that the runner did not finish went on elsewhere; infinite while one has not. */
  readonly seconds: number
  /** How many the runner brought to their end itself. */
  readonly finished: number
  /** Those that nobody has gone on with. */
  readonly left: ReadonlyArray<string>
  /** Pages of all these jobs that were fetched more than once. */
  readonly fetchedTwice: number
}

/** Jobs whose newest page the runner fetched, and which have pages left. */
export const jobsOf = (pages: ReadonlyArray<Page>, runner: number, pagesOfJob: number): ReadonlyArray<string> => {
  const newest = new Map(pages.map((page) => [page.job, page]))
  return [...newest.values()]
    .filter((page) => page.runner === runner && page.page + 1 < pagesOfJob)
    .map(({ job }) => job)
}

export const handover = (
  pages: ReadonlyArray<Page>,
  ended: ReadonlyArray<Ended>,
  { at, jobs, runner }: Departure
): Handover => {
  const finished = new Set(ended.flatMap((told) => (told.done && told.runner === runner ? [told.job] : [])))
  const toMove = jobs.filter((job) => !finished.has(job))
  const next = new Map(
    pages
      .filter((page) => page.runner !== runner && page.at >= at)
      .map((page) => [page.job, page] as const)
      .toReversed()
  )
  const left = toMove.filter((job) => !next.has(job))
  const mine = pages.filter(({ job }) => jobs.includes(job))
  const distinct = new Set(mine.map(({ job, page }) => `${job} ${page}`))
  return {
    seconds: left.length > 0 ? Infinity : Math.max(0, ...toMove.map((job) => (next.get(job)!.at - at) / 1_000)),
    finished: jobs.length - toMove.length,
    left,
    fetchedTwice: mine.length - distinct.size
  }
}
