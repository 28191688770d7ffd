/** What became of jobs whose runner ended in the middle of them. */
import type { Heard } from "./Fleet.ts"

type Page = Extract<Heard, { readonly kind: "fetching" }>

export interface Handover {
  /** Jobs that the runner was at when it ended. */
  readonly jobs: ReadonlyArray<string>
  /** Seconds until the last of them went on elsewhere; infinite when one of them has not. */
  readonly seconds: number
  /** Pages of these jobs that were fetched more than once. */
  readonly fetchedTwice: number
}

/** Jobs whose newest page the runner fetched, and which have pages left. */
export const jobsOf = (pages: ReadonlyArray<Page>, runner: number, pagesOfJob: number): ReadonlyArray<string> => {
  const newest = new Map(pages.map((page) => [page.job, page]))
  return [...newest.values()].filter((page) => page.runner === runner && page.page + 1 < pagesOfJob).map(({ job }) => job)
}

/** `at`: when the runner was ended. */
export const handover = (
  pages: ReadonlyArray<Page>,
  jobs: ReadonlyArray<string>,
  runner: number,
  at: number
): Handover => {
  const moved = jobs.map((job) => pages.find((page) => page.job === job && page.runner !== runner && page.at >= at))
  const mine = pages.filter(({ job }) => jobs.includes(job))
  const distinct = new Set(mine.map(({ job, page }) => `${job} ${page}`))
  return {
    jobs,
    seconds: Math.max(0, ...moved.map((page) => (page === undefined ? Infinity : (page.at - at) / 1_000))),
    fetchedTwice: mine.length - distinct.size
  }
}
