import { describe, expect, it } from "@effect/vitest"
import { overviewText } from "../harness/Report.ts"
import type { Heard } from "../jobs/Fleet.ts"
import { handover, jobsOf } from "../jobs/Handover.ts"

const page = (runner: number, job: string, number: number, at: number) =>
  ({ kind: "fetching", runner, job, page: number, at }) satisfies Heard
const ended = (runner: number, job: string, done: boolean, at: number) =>
  ({ kind: "ended", runner, job, done, at }) satisfies Heard

describe("jobsOf", () => {
  it("names the jobs that the runner is at, without those at their last page or with another runner", () => {
    const pages = [page(0, "a", 0, 1), page(0, "b", 4, 2), page(0, "c", 0, 3), page(1, "c", 1, 4), page(0, "a", 1, 5)]
    expect(jobsOf(pages, 0, 5)).toEqual(["a"])
  })
})

describe("handover", () => {
  const departure = { jobs: ["a", "b"], runner: 0, at: 1_000 }

  it("lasts until the last job goes on with another runner", () => {
    const pages = [page(0, "a", 0, 900), page(0, "b", 3, 950), page(1, "a", 1, 1_500), page(2, "b", 4, 3_000)]
    expect(handover([...pages, page(1, "a", 2, 4_000)], [], departure)).toEqual({
      seconds: 2,
      finished: 0,
      left: [],
      fetchedTwice: 0
    })
  })

  it("is not over while nobody goes on with a job", () => {
    const pages = [page(0, "a", 0, 900), page(0, "b", 3, 950), page(1, "a", 1, 1_500)]
    expect(handover(pages, [ended(0, "b", false, 1_010)], departure)).toMatchObject({ seconds: Infinity, left: ["b"] })
  })

  it("counts pages that were fetched again, and those of no other job", () => {
    const pages = [page(0, "a", 0, 900), page(1, "a", 0, 1_100), page(0, "c", 0, 900), page(1, "c", 0, 1_100)]
    expect(handover(pages, [], { ...departure, jobs: ["a"] })).toMatchObject({ fetchedTwice: 1 })
  })

  it("waits for no job that the runner brought to its end", () => {
    const pages = [page(0, "a", 0, 900), page(0, "b", 3, 950), page(0, "b", 4, 1_100), page(1, "a", 1, 1_500)]
    expect(handover(pages, [ended(0, "b", true, 1_200)], departure)).toEqual({
      seconds: 0.5,
      finished: 1,
      left: [],
      fetchedTwice: 0
    })
  })
})

describe("overview", () => {
  it("shows figures beside each other, and what did not happen in time", () => {
    const text = overviewText({
      name: "engine",
      columns: ["ours", "theirs"],
      rows: [{ name: "picked up after, s", values: [6.543, Infinity] }]
    })
    expect(text.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["engine", "ours", "theirs"],
      ["picked up after, s", "6.54", "not in time"]
    ])
  })
})
