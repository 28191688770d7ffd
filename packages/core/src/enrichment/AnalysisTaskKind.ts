/** The task that looks when something is due although nothing changed. */
import * as Schema from "effect/Schema"
import { DataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

const Payload = Schema.Struct({ workspaceId: Id("workspace"), dataType: DataType })

export const analysisTask = taskKind("analysis", { payload: Payload, concurrency: 2, timeoutSeconds: 600 })

/** Looks at all accounts, where an enrichment begins: what is there by then is the past. */
export const beginningKey = (payload: typeof Payload.Type): string => `${taskKey(payload)}:begin`

/** One for a workspace and a data type. */
export const taskKey = ({ dataType, workspaceId }: typeof Payload.Type): string => `${workspaceId}:${dataType}`
