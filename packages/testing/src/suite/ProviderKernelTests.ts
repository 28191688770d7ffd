/** Tests of a driver behind the kernel: what its accounts support is what the kernel asks for. */
import { expect, it } from "@effect/vitest"
import { Banks, ReadThrough } from "@millrace/core/kernel"
import { Providers } from "@millrace/core/provider"
import { RecordStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import { ownerOf } from "../fixture/Caller.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { attemptId, opened, type ProviderSuiteOptions } from "./ProviderUnderTest.ts"
import { readingKernel } from "./UpstreamKernel.ts"

/** Registers the test that the kernel reads all that a connection has, and asks for nothing that it has not. */
export const kernelTests = (options: ProviderSuiteOptions): void => {
  it.effect("gives the kernel every data type of every account that has it, also where others do not", () =>
    Effect.gen(function* () {
      const { accounts: observed, driver, payload } = yield* opened(options)
      if (options.mixed === true) {
        const lacking = options.dataTypes.filter((dataType) =>
          observed.some(({ supports }) => !supports.includes(dataType))
        )
        expect(lacking, "a mixed connection has accounts without some of its data types").not.toEqual([])
      }
      yield* Effect.gen(function* () {
        const workspace = yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" })
        const request = { instanceId: driver.instanceId, attemptId, payload }
        const { accounts, bank } = yield* (yield* Banks).connect(ownerOf(workspace), request)
        const { freshen } = yield* ReadThrough
        const records = yield* RecordStore
        for (const dataType of ["balances", ...options.dataTypes] as const) {
          let rows = 0
          for (const account of accounts) {
            const told = yield* freshen(workspace, bank, account, dataType, {})
            const has = account.supports.includes(dataType)
            expect([account.accountName, dataType, told.problem, told.asOf !== undefined]).toEqual([
              account.accountName,
              dataType,
              undefined,
              has
            ])
            const scope = { workspaceId: workspace.id, accountId: account.id, dataType }
            const page = yield* records.page(scope, { filter: {}, limit: 1 })
            if (!has) expect(page).toEqual([])
            rows += page.length
          }
          expect([dataType, rows > 0]).toEqual([dataType, true])
        }
      }).pipe(Effect.provide(readingKernel(Providers.layer([driver]), options.storage)))
    })
  )
}
