/** The providers of a simulation: every combination of change model, scope and trust that makes sense. */
import { makeScriptedProvider, type ScriptedOptions, type ScriptedProvider } from "@millrace/testing/fake"

const trusts = ["stable", "perStatus", "none", "positional", "session"] as const
const models = ["delta", "snapshotWindow", "snapshotFull", "appendOnly"] as const

/** A feed of changes names what changed by its id. */
const names = (trust: (typeof trusts)[number]): boolean => trust === "stable" || trust === "perStatus"

/** Pages of a few rows each, so that most reads have several. */
export const upstreamOptions: ReadonlyArray<ScriptedOptions> = models.flatMap((changeModel) =>
  (["connection", "account"] as const).flatMap((scope) =>
    trusts
      .filter((idTrust) => changeModel === "snapshotWindow" || changeModel === "snapshotFull" || names(idTrust))
      .map((idTrust, i) => ({
        instance: `${changeModel.toLowerCase()}-${scope}-${idTrust.toLowerCase()}`,
        changeModel,
        scope,
        idTrust,
        pageSize: 3 + (i % 3) * 2,
        overlapDays: 10,
        historyDays: 400,
        // Of the others only the rows that they show tell how far back they look.
        saysHistory: scope === "connection"
      }))
  )
)

export const makeUpstreams = (): ReadonlyArray<ScriptedProvider> => upstreamOptions.map(makeScriptedProvider)
