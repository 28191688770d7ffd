import * as Command from "effect/cli/Command"
import { showRecord } from "../request/Requests.ts"

export const whoami = Command.make("whoami", {}, () => showRecord({ method: "GET", path: "/v1/whoami" })).pipe(
  Command.withDescription("Tell whose credential this is and what it may do")
)
