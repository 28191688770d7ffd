import * as Effect from "effect/Effect"
import type { Finding } from "@millrace/core/enrichment"
import { Findings } from "@millrace/core/kernel"
import { many, one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

/** Without what is only for the kernel: where it was found, and under which key. */
const toWire = ({ dataType: _d, key: _k, partition: _pa, present: _p, workspaceId: _w, ...finding }: Finding) => finding

export const layer = serve(
  "findings",
  Effect.map(Findings, (findings) => ({
    listFindings: ({ caller, ids, query, self }) =>
      Effect.map(findings.list(caller, ids.enrichment, query), (page) => many(self, page.rows.map(toWire), page)),
    updateFinding: ({ caller, ids, payload }) =>
      Effect.map(findings.update(caller, ids.enrichment, ids.finding, payload), (finding) => one(toWire(finding)))
  }))
)
