import { expect, it } from "vitest"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { unavailable } from "../../src/storage/postgres/SqlFailure.ts"

const failed = (code: string) =>
  unavailable(
    new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error('"secret" was refused'), { code }) }) })
  ).message

it("says what to do where the database is missing", () => {
  expect(failed("3D000")).toMatch(/^There is no database of that name\. Create it first: create database /)
})

it("tells of other failures their kind and state, and repeats nothing of PostgreSQL's", () => {
  expect(failed("58030")).toBe("PostgreSQL: UnknownError (58030)")
})
