/** Texts of pending and booked rows that an account has shown to be one. */
import { isLearnt, learn, unlearn, type Lesson } from "../../../src/identity/match/LearntTexts.ts"
import { limits } from "../../../src/shared/Limits.ts"
import { describe, expect, it } from "vitest"
import { full, held, read, seen, type Read } from "./Rows.ts"

const lesson = (change: Partial<Lesson> = {}): Lesson => ({
  pending: "metro transit",
  booked: "mta nyct paygo",
  told: false,
  alike: false,
  ...change
})
const after = (...lessons: ReadonlyArray<Lesson>) => learn([], lessons)
const known = (...lessons: ReadonlyArray<Lesson>) =>
  after(...lessons)
    .filter(isLearnt)
    .map(({ booked }) => booked)

describe("a pair of texts", () => {
  it("is learnt at once from the upstream, and from amounts when they say it twice", () => {
    expect(known(lesson({ told: true }))).toEqual(["mta nyct paygo"])
    expect(known(lesson())).toEqual([])
    expect(known(lesson(), lesson())).toEqual(["mta nyct paygo"])
  })

  it("is unlearnt where the upstream says another one, and doubted where amounts or texts do", () => {
    expect(known(...Array.from({ length: 9 }, () => lesson()), lesson({ booked: "city bus", told: true }))).toEqual([
      "city bus"
    ])
    expect(known(lesson(), lesson(), lesson({ booked: "metro transit nyc", alike: true }))).toEqual([])
    expect(known(lesson(), lesson(), lesson({ booked: "city bus" }))).toEqual([])
  })

  it("is learnt again after a person's no only by what the upstream says often", () => {
    const refused = unlearn(after(lesson({ told: true })), "metro transit", "mta nyct paygo")
    const times = (told: boolean, count: number) =>
      learn(
        refused,
        Array.from({ length: count }, () => lesson({ told }))
      )
    expect(times(false, 4).some(isLearnt)).toBe(false)
    expect(times(true, 3).some(isLearnt)).toBe(true)
  })

  it("is not kept where a text is empty or very long, and of many the latest are kept", () => {
    expect(after(lesson({ booked: "" }), lesson({ pending: "x".repeat(201) }))).toEqual([])
    const many = after(...Array.from({ length: 300 }, (_, n) => lesson({ pending: `merchant ${n}` })))
    expect(many).toHaveLength(limits.learntTexts)
    expect(many.at(-1)).toMatchObject({ pending: "merchant 299" })
  })

  it("is the same list where a lesson tells nothing new", () => {
    const learnt = after(...Array.from({ length: 9 }, () => lesson()))
    expect(learn(learnt, [lesson()])).toBe(learnt)
  })
})

describe("a booked row under another name at a price that repeats", () => {
  const ride = { amount: "-2.75", text: "METRO TRANSIT", day: "2026-03-14", pending: true }
  const booked = { amount: "-2.75", text: "MTA*NYCT PAYGO", day: "2026-03-15" }
  const before = { ...booked, day: "2026-03-09" }
  const ridden = (change: Read = {}) =>
    read({
      idTrust: "none",
      coverage: full,
      held: [held("a", { ...ride, id: "" }), held("old", { ...before, id: "" })],
      observations: [seen("b", { ...booked, id: "" }), seen("old", { ...before, id: "" })],
      ...change
    })
  const learnt = [{ pending: "metro transit", booked: "mta nyct paygo", score: 2 }]

  it("is another record until the pair is learnt, and teaches it", () => {
    const result = ridden()
    expect(result.changed.map(({ entry }) => entry?.id)).toEqual([undefined])
    expect(result.learnt).toEqual([{ ...learnt[0], score: 1 }])
  })

  it("is the pending record once it is learnt", () => {
    const result = ridden({ learnt })
    expect(result.changed.map(({ entry }) => entry?.id)).toEqual(["a"])
    expect(result.learnt).toBe(learnt)
  })

  it("teaches nothing where the amount leaves a choice", () => {
    const other = { ...ride, text: "CITY CAFE" }
    const two = ridden({
      held: [held("a", { ...ride, id: "" }), held("c", { ...other, id: "" }), held("old", { ...before, id: "" })]
    })
    expect(two.learnt).toEqual([])
  })

  it("teaches at once where a link says it", () => {
    const link = seen("b", booked, { pendingProviderId: "p-a" })
    expect(ridden({ idTrust: "perStatus", held: [held("a", ride)], observations: [link] }).learnt).toEqual(learnt)
  })
})
