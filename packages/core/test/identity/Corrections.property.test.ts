import { Corrections } from "../../src/identity/Corrections.ts"
import type { MatchId } from "../../src/identity/LoggedMatch.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { arrange, services } from "./Correcting.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 2_000 : 60

/** Records that are part of others say nothing by themselves. */
const standing = (rows: ReadonlyArray<unknown>) =>
  rows.filter((row) => (row as { readonly mergedInto?: string }).mergedInto === undefined)

/** An account after some random syncs, with every match and suggestion that they left. */
const lived = Effect.fnUntraced(function* (random: Seeded) {
  const world = yield* arrange
  const matches: Array<MatchId> = []
  const records = []
  let names = 0
  for (let n = 2 + random.below(3); n > 0; n--) {
    let record = yield* world.put({ providerId: `u${++names}`, pending: random.once(2) })
    for (let m = random.below(4); m > 0; m--) {
      const change = {
        hash: `h${++names}`,
        pending: false,
        fields: { description: `text ${names}`, amount: `-${names}` },
        ...(random.once(4) ? {} : { providerId: random.once(8) ? "" : `u${names}` })
      }
      const { logged, next } = yield* world.match(record, change)
      matches.push(logged.id)
      record = next
    }
    records.push(record)
  }
  return { ...world, matches, all: records }
})

describe("what people decide", () => {
  it.effect("is taken back without a trace in the ledger, whatever came before", () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < rounds; seed++) {
        const random = new Seeded(seed)
        const { caller, all, held, matches, ref, state, suggest } = yield* lived(random)
        const corrections = yield* Corrections
        for (let act = 0; act < 3; act++) {
          // What a record was called is told by when: two acts at one instant would be one.
          yield* TestClock.adjust(1)
          const before = standing(yield* state)
          const target = random.pick(all)
          switch (random.below(3)) {
            case 0: {
              yield* corrections.remove(caller, ref, target.id)
              yield* corrections.restore(caller, ref, target.id)
              break
            }
            case 1: {
              if (matches.length === 0) break
              const id = random.pick(matches)
              const shown = (yield* corrections.matches(caller, ref, { limit: 500 })).rows.find(
                ({ match }) => match.id === id
              )!
              // Under one id, who it belongs to afterwards is not who it belonged to before.
              if (shown.match.state === "undone" || shown.match.before.providerId === shown.match.observed.providerId)
                break
              // Part of another one since an earlier undo was taken back: that one has to be undone first.
              if ((yield* held(shown.match.recordId)) === undefined) break
              yield* corrections.undo(caller, ref, id)
              expect([seed, act, standing(yield* state)]).not.toEqual([seed, act, before])
              yield* corrections.redo(caller, ref, id)
              break
            }
            default: {
              const other = random.pick(all.filter(({ id }) => id !== target.id))
              const known = (yield* corrections.suggestions(caller, ref, { recordId: target.id, limit: 500 })).rows
              if (known.some(({ suggestion }) => suggestion.observedId === other.id)) break
              yield* corrections.accept(caller, ref, yield* suggest(target.id, other.id))
              const [made] = (yield* corrections.matches(caller, ref, { recordId: target.id })).rows
              yield* corrections.undo(caller, ref, made!.match.id)
            }
          }
          expect([seed, act, standing(yield* state)]).toEqual([seed, act, before])
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("about an early match leaves the ledger as if it had never been made", () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < rounds; seed++) {
        const random = new Seeded(seed)
        const { caller, held, match, put, ref } = yield* arrange
        const { undo } = yield* Corrections
        const length = 2 + random.below(4)
        const first = yield* put({ providerId: "u0", hash: "h0" })
        let record = first
        const made = []
        for (let n = 1; n <= length; n++) {
          const { logged, next } = yield* match(record, { providerId: `u${n}`, hash: `h${n}` })
          made.push(logged.id)
          record = next
        }
        // Parted at some places in any order, each stretch between two of them is a record of its own.
        const places = made.map((_, n) => n).filter(() => random.once(2))
        const order = places.map((place) => [random.below(1_000_000), place] as const).toSorted((a, b) => a[0] - b[0])
        const ids = [first.id]
        for (const [, place] of order) ids.push((yield* undo(caller, ref, made[place]!)).match.separateId!)
        const shown = []
        for (const id of ids) shown.push((yield* held(id))?.hash)
        expect([seed, shown.toSorted()]).toEqual([
          seed,
          [...places.map((place) => `h${place}`), `h${length}`].toSorted()
        ])
      }
    }).pipe(Effect.provide(services))
  )
})
