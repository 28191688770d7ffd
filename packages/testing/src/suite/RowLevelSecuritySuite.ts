/**
 * The second wall between workspaces: work of one workspace that is given the ids of another finds nothing and changes
 * nothing, even where a store is asked with the other's own workspace.
 */
import { BankStore, Transactor } from "@millrace/core/storage"
import { acrossTenants, withinWorkspaces } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { storeWholeWorkspace } from "../fixture/WholeWorkspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"
import { isOpen, portrait, storeCases } from "./RowLevelSecurityCases.ts"

/** What came of a call, as far as it can be compared. */
const told = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isSuccess(exit) ? { value: exit.value } : { failed: exit.cause.reasons.map(({ _tag }) => _tag) }

class Undone {
  readonly kept: unknown
  constructor(kept: unknown) {
    this.kept = kept
  }
}

/** Runs it and takes back what it did. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { atomically } = yield* Transactor
    const kept = yield* Effect.flip(
      atomically(Effect.flatMap(Effect.exit(effect), (exit) => Effect.fail(new Undone(exit))))
    )
    if (kept instanceof Undone) return yield* kept.kept as Exit.Exit<A, E>
    return yield* Effect.die(kept)
  })

export const tests: StorageTests = (it) => {
  for (const [name, { methods, names, tell }] of Object.entries(storeCases)) {
    it.effect(`${name}: keeps what is of one workspace from the work of another`, () =>
      Effect.gen(function* () {
        // A method that a store has and nobody thought of here.
        expect(Object.keys(methods).toSorted()).toEqual((yield* names).toSorted())
        const one = yield* storeWholeWorkspace
        const other = yield* storeWholeWorkspace
        const mine = withinWorkspaces(one.workspace.id)
        const theirs = withinWorkspaces(other.workspace.id)
        const whole = yield* theirs(portrait(other))
        const before = yield* theirs(tell(other))
        for (const [method, attempt] of Object.entries(methods)) {
          if (isOpen(attempt)) continue
          const call = attempt(other)
          const found = told(yield* Effect.exit(mine(call)))
          expect([method, yield* theirs(tell(other))]).toEqual([method, before])
          // By themselves they find something, or change something; else this would say nothing.
          const own = yield* theirs(undone(Effect.all([Effect.map(Effect.exit(call), told), tell(other)])))
          expect([method, ...own]).not.toEqual([method, found, before])
        }
        expect(yield* theirs(portrait(other))).toEqual(whole)
      })
    )
  }

  it.effect("gives work of a family all of its workspaces, and no other one", () =>
    Effect.gen(function* () {
      const [parent, child, stranger] = [
        yield* storeWholeWorkspace,
        yield* storeWholeWorkspace,
        yield* storeWholeWorkspace
      ]
      const family = withinWorkspaces(parent.workspace.id, child.workspace.id)
      const accountsOf = ({ bank }: typeof parent) => Effect.flatMap(BankStore, (store) => store.accounts(bank.id))
      expect(yield* family(accountsOf(parent))).toEqual([parent.account])
      expect(yield* family(accountsOf(child))).toEqual([child.account])
      expect(yield* family(accountsOf(stranger))).toEqual([])
      // Within the family's work a step for one of them sees that one.
      expect(yield* family(withinWorkspaces(child.workspace.id)(accountsOf(parent)))).toEqual([])
      expect(yield* family(withinWorkspaces(stranger.workspace.id)(accountsOf(stranger)))).toEqual([])
      expect(yield* family(acrossTenants("task engine")(accountsOf(stranger)))).toEqual([stranger.account])
    })
  )
}

export const suite = suiteOf(tests)
